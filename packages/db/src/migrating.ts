// An entrance of its own: what only serves does not load the queue's library for its migrations.
export { type Migrated, migrate } from './migrations/migrate.ts';
export { isUpToDate, type MigrationPlan, planMigration } from './migrations/plan.ts';
export { migrateQueue } from './migrations/queue.ts';
export { MigrationError } from './release/migration-error.ts';
