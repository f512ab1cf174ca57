export {
  type ByteShares,
  deliveryBytes,
  pageBytes,
  publishingBytes,
  readerBytes,
  streamBytes,
} from './bytes/bounds.ts';
export { type ByteBudget, createByteBudget } from './bytes/budget.ts';
export { type Gathering, untilFull } from './bytes/until-full.ts';
export {
  type Call,
  type Database,
  type DatabaseOptions,
  openDatabase,
  type Queryable,
  type Sessions,
  type Statement,
  statement,
  type Transaction,
} from './connection/database.ts';
export { isReadOnly, isState, isUnavailable, type SqlState, sqlState } from './connection/database-errors.ts';
export {
  prefixWarning,
  reportDatabaseSettings,
  sessionRole,
  whereItLeads,
} from './connection/database-warnings.ts';
export { createNotifications, type Notifications } from './connection/notifications.ts';
export { olderStatementsEnd, olderTransactionsEnd } from './connection/older-transactions.ts';
export { diskFullAt } from './connection/pool.ts';
export { sessionNamed } from './connection/session-name.ts';
export { sessionSettings, setLocally, unlikeSettings } from './connection/session-settings.ts';
export { means, type StateMeaning, stateOf } from './connection/sql-states.ts';
export { cancelOnce, type Leaving, UnwantedError } from './connection/wanted.ts';
export type * as rows from './generated/prisma/client.ts';
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
  priceChangeKey,
  type QueuedJob,
  syncJobsKey,
} from './jobs.ts';
export {
  attemptMs,
  deletionsKept,
  exporting,
  heartbeats,
  holdUps,
  leaseMarginMs,
  publishing,
  publishingLock,
  restarting,
  stopping,
  stoppingIn,
  type WorkKind,
  type WorkLimits,
  wardenLooks,
  workLimits,
} from './lifetimes.ts';
export { type Backoff, backoffMs } from './loops/backoff.ts';
export { type Clock, sleep, systemClock } from './loops/clock.ts';
export { type Again, again, type Loop, type LoopOptions, repeat, retry, startLoop } from './loops/loop.ts';
export { createWaker, type Waker } from './loops/waker.ts';
export { serviceOnly } from './made/guards.ts';
export { migrate } from './migrations/migrate.ts';
export { readSchemaState, requireSchema, type SchemaState } from './migrations/schema-state.ts';
export { readChangedObjects } from './migrations/sql/objects.ts';
export {
  type Heartbeat,
  type HeartbeatKind,
  startHeartbeat,
} from './processes/heartbeat.ts';
export { listenError } from './processes/listening.ts';
export { localUrl } from './processes/local-url.ts';
export { nodeFlags } from './processes/node-flags.ts';
export { pidSpace } from './processes/pid-space.ts';
export { checkPort, freePort } from './processes/port.mjs';
export { reportServing } from './processes/service-manager.ts';
export { constraintSentences, hasSentence, lacksColumn, refusalSentence } from './refusal-sentences.ts';
export { ownBuild } from './release/build.ts';
export type { RoleKind } from './roles/access.ts';
export { applyRoles, makeRoles, rolesSql } from './roles/apply.ts';
export { looseLogins } from './roles/bounding.ts';
export { type BoundedRole, boundedRoles, mostLocks, roleBounds, sessionDefaults } from './roles/bounds.ts';
export { roleKinds, roleName } from './roles/names.ts';
export {
  makePersonLogin,
  type PersonLogin,
  PersonRefused,
  personName,
  type RemovedLogin,
  removePersonLogin,
} from './roles/persons.ts';
export { repositoryRoot } from './root.ts';
export {
  createSecretBox,
  newSigningSecret,
  type Sealed,
  type SecretBox,
  type SecretOwner,
} from './secrets.ts';
export {
  type EncryptionKey,
  encryptionKeyFile,
  keyFingerprint,
  parseEncryptionKeys,
  readEncryptionKeyFile,
} from './settings/encryption-keys.ts';
export { configurationExitCode } from './settings/error.ts';
export { editUrl } from './settings/forms.mjs';
export { strangeVariable, strangeVariables } from './settings/report.ts';
export { readSettings, type Settings, SettingsError, settingsTable } from './settings/settings.ts';
export { settingWarnings } from './settings/warnings.ts';
export { belongings, type LocationTable, ownRow } from './tables/belongings.ts';
export { erasedColumns } from './tables/erased.ts';
export { guardsOf, keptInStudio } from './tables/guards.ts';
export { tableNamed, tables } from './tables/index.ts';
export { sqlName } from './tables/sql-name.ts';
export type { Belonging, Column, Guard, Personal, SandboxReset, Table } from './tables/table.ts';
export { blankCharacters, type IdentifiedTable, identified, plainIdentifier } from './texts.ts';
export { beginSpan, type Traced, traceIdOf, traceparentOf } from './traces.ts';
