export {
  type Database,
  type DatabaseOptions,
  openDatabase,
  type PrismaTransaction,
  type Queryable,
  queryableOf,
  type Statement,
  statement,
  type Transaction,
} from './database.ts';
export { isReadOnly, isUnavailable, type SqlState, sqlState } from './database-errors.ts';
export {
  type EncryptionKey,
  keyFingerprint,
  parseEncryptionKeys,
  readEncryptionKeyFile,
} from './encryption-keys.ts';
export type * as rows from './generated/prisma/client.ts';
export { Prisma } from './generated/prisma/client.ts';
export {
  type Heartbeat,
  type HeartbeatKind,
  heartbeatDeadSeconds,
  heartbeatMs,
  startHeartbeat,
} from './heartbeat.ts';
export { isId, newId } from './ids.ts';
export {
  addJob,
  addJobs,
  deliveryJobKey,
  type JobName,
  type JobOptions,
  type JobPayload,
  jobFlag,
  jobs,
  type QueuedJob,
  syncJobKey,
} from './jobs.ts';
export { migrate } from './migrate.ts';
export { createNotifications, type Notifications } from './notifications.ts';
export { pidSpace } from './pid-space.ts';
export type { RoleKind } from './roles/access.ts';
export { applyRoles, rolesSql } from './roles/apply.ts';
export { roleKinds, roleName } from './roles/names.ts';
export { repositoryRoot } from './root.ts';
export { readSchemaState, requireSchema, type SchemaState } from './schema-state.ts';
export {
  createSecretBox,
  newSigningSecret,
  type Sealed,
  type SecretBox,
  type SecretOwner,
} from './secrets.ts';
export { readSettings, type Settings, SettingsError, settingsTable } from './settings.ts';
export { readChangedObjects } from './sql/objects.ts';
export { type WorkKind, type WorkLimits, workLimits } from './work-limits.ts';
