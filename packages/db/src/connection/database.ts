import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import { workLimits } from '../lifetimes.ts';
import { type DatabaseOptions, openSqlDatabase, type SqlDatabase } from './sql-database.ts';

/** A Prisma transaction. */
export type PrismaTransaction = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0];

/** The database: prepared statements for what operations do, Prisma for a few look-ups, one pool beneath both. */
export interface Database extends SqlDatabase {
  readonly prisma: PrismaClient;
  /**
   * Loads Prisma's query compiler by a query that finds nothing; else the first query does, which stops the event loop for
   * hundreds of milliseconds. Settles once that was tried: a database that is away hinders nothing.
   */
  load(): Promise<void>;
}

// Of no row: ids begin with the time.
const noId = '00000000-0000-0000-0000-000000000000';

/** Opens the pool; connects when the first statement runs. */
export function openDatabase(options: DatabaseOptions): Database {
  const limits = workLimits[options.work ?? 'command'];
  const database = openSqlDatabase(options);
  const prisma = new PrismaClient({
    adapter: new PrismaPg(database.pool),
    transactionOptions: { maxWait: limits.waitMs, timeout: limits.statementMs },
  });
  return {
    ...database,
    prisma,
    async load() {
      await prisma.product.findFirst({ where: { locationId: noId, id: noId } }).catch(() => {});
    },
    async close() {
      await prisma.$disconnect();
      await database.close();
    },
  };
}
