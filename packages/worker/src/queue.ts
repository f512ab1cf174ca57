import { Logger, runMigrations } from 'graphile-worker';

/**
 * Brings the queue's own tables up to date, as the owner: who works on them later needs no DDL. Throws what the database
 * throws.
 */
export async function migrateQueue(url: string): Promise<void> {
  await runMigrations({ connectionString: url, logger: new Logger(() => () => {}) });
}
