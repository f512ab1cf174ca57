export { createLog } from './call/log.ts';
export type { carried } from './carried.ts';
export { newApiKey, parseApiKey } from './credentials/api-key.ts';
export { demoNames, exampleIds } from './examples.ts';
export type { includedFields } from './included.ts';
export { family, type MetricFamily, single } from './metrics/family.ts';
export { latencySamples, newLatency } from './metrics/latency.ts';
export { metricsContentType, render } from './metrics/metrics.ts';
export { countLocations } from './metrics/noisy-locations.ts';
export { processFamilies } from './metrics/process-families.ts';
export { createReadiness, publishingFields } from './metrics/readiness.ts';
export type { Grant, Permission } from './permissions.ts';
export { issueCode } from './resources/app-codes/store.ts';
export {
  type Certification,
  type CertificationAction,
  type CertificationCheck,
  type CheckName,
  checkNames,
} from './resources/certifications/schema.ts';
export { abortedRuns, isEnding, priceBack } from './resources/certifications/statements.ts';
export { dataIn } from './resources/events/data.rules.ts';
export {
  type EventType,
  events,
  eventTypes,
  subscribableEventTypes,
} from './resources/events/types.schema.ts';
export { issueKey, listKeys, revokeKey } from './resources/keys/store.ts';
export { createLocation, listLocations } from './resources/locations/store.ts';
export { applyPriceChange, queueForsakenPriceChanges } from './resources/price-changes/apply.store.ts';
export { writeDemo, writeDemoMenu } from './resources/sandbox/demo.store.ts';
export {
  applySyncJob,
  beginSyncJob,
  failSyncJob,
  postponeSyncJob,
} from './resources/sync-jobs/apply.store.ts';
export { queueForsaken, queueNextJob } from './resources/sync-jobs/queue.store.ts';
export {
  checkWebhookUrl,
  isAllowedAddress,
  type UrlVerdict,
  type WebhookTargets,
} from './resources/webhook-endpoints/address.rules.ts';
export { type KeyRotation, rotateKey } from './resources/webhook-endpoints/rotate-key.store.ts';
