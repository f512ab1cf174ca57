export { type Backoff, backoffMs } from './backoff.ts';
export { ownBuild } from './build.ts';
export {
  type ByteShares,
  deliveryBytes,
  pageBytes,
  publishingBytes,
  readerBytes,
  streamBytes,
} from './byte-bounds.ts';
export { type ByteBudget, createByteBudget } from './byte-budget.ts';
export { type Database, openDatabase, type PrismaTransaction } from './database.ts';
export { isReadOnly, isState, isUnavailable, type SqlState, sqlState } from './database-errors.ts';
export { prefixWarning, reportDatabaseSettings, sessionRole, whereItLeads } from './database-warnings.ts';
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
  restarting,
  stopping,
  stoppingIn,
  type WorkKind,
  type WorkLimits,
  wardenLooks,
  workLimits,
} from './lifetimes.ts';
export { listenError } from './listening.ts';
export { localUrl } from './local-url.ts';
export { type Again, again, type Loop, type LoopOptions, repeat, retry, startLoop } from './loop.ts';
export { serviceOnly } from './made/guards.ts';
export { migrate } from './migrate.ts';
export { createNotifications, type Notifications } from './notifications.ts';
export { olderStatementsEnd, olderTransactionsEnd } from './older-transactions.ts';
export { pidSpace } from './pid-space.ts';
export { diskFullAt } from './pool.ts';
export { constraintSentences, hasSentence, lacksColumn, refusalSentence } from './refusal-sentences.ts';
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
export { readSchemaState, requireSchema, type SchemaState } from './schema-state.ts';
export {
  createSecretBox,
  newSigningSecret,
  type Sealed,
  type SecretBox,
  type SecretOwner,
} from './secrets.ts';
export { reportServing } from './service-manager.ts';
export { strangeVariable, strangeVariables } from './setting-report.ts';
export { settingWarnings } from './setting-warnings.ts';
export { readSettings, type Settings, SettingsError, settingsTable } from './settings.ts';
export { configurationExitCode } from './settings-error.ts';
export { editUrl } from './settings-forms.mjs';
export { readChangedObjects } from './sql/objects.ts';
export {
  type Call,
  type DatabaseOptions,
  openSqlDatabase,
  type Queryable,
  type SqlDatabase,
  type Statement,
  statement,
  type Transaction,
} from './sql-database.ts';
export { means, type StateMeaning, stateOf } from './sql-states.ts';
export { belongings, type LocationTable, ownRow } from './tables/belongings.ts';
export { erasedColumns } from './tables/erased.ts';
export { guardsOf, keptInStudio } from './tables/guards.ts';
export { tableNamed, tables } from './tables/index.ts';
export { sqlName } from './tables/sql-name.ts';
export type { Belonging, Column, Guard, Personal, SandboxReset, Table } from './tables/table.ts';
export { beginSpan, type Traced, traceIdOf, traceparentOf } from './traces.ts';
export { type Gathering, untilFull } from './until-full.ts';
export { createWaker, type Waker } from './waker.ts';
