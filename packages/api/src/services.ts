export { newApiKey, parseApiKey } from './credentials/api-key.ts';
export { type EventType, events, eventTypes, subscribableEventTypes } from './events.ts';
export { createLog } from './request/log.ts';
export { issueKey, listKeys, revokeKey } from './resources/keys/issue.ts';
export { createLocation, listLocations } from './resources/locations/create.ts';
export { applyProductSync, failSyncJob, type SyncJobRef } from './resources/sync-jobs/apply.ts';
export {
  checkWebhookUrl,
  isAllowedAddress,
  type UrlVerdict,
  type WebhookTargets,
} from './resources/webhook-endpoints/address.ts';
export { type KeyRotation, rotateKey } from './resources/webhook-endpoints/rotate-key.ts';
