// An entrance of its own: what only serves does not load the queue's library for its migrations.
export { type Migrated, migrate } from './migrate.ts';
export { isUpToDate, type MigrationPlan, planMigration } from './migration-plan.ts';
export { migrateQueue } from './queue.ts';
