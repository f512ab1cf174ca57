import type { TestKey } from './factories.ts';

/** The audit entry of a change that a request with the key made, as `auditOf` shows it. */
export const auditedBy = (key: TestKey, operation: string, before: object | null, after: object | null) => ({
  actorKind: 'api_key',
  apiKeyId: key.id,
  operation,
  changes: { before, after },
});
