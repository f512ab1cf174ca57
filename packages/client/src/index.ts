export { type ClientOptions, type ComandaClient, createClient } from './client.ts';
export { type ComandaError, comandaError } from './errors.ts';
export type { ComandaEvent, ComandaEventOf, EventType, WebhookEvent } from './events.ts';
export type { AppRouter, ErrorCode, EventData } from './surface.ts';
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from './verify-webhook.ts';
