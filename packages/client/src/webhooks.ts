export type { ComandaEvent, ComandaEventOf, EventType, WebhookEvent } from './events.ts';
export type { EventData } from './surface.ts';
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from './verify-webhook.ts';
