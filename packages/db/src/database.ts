import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/prisma/client.ts';
import { workLimits } from './lifetimes.ts';
import { type DatabaseOptions, openSqlDatabase, type SqlDatabase } from './sql-database.ts';

/** A Prisma transaction. */
export type PrismaTransaction = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0];

/** The database: prepared statements for what operations do, Prisma for a few look-ups, one pool beneath both. */
export interface Database extends SqlDatabase {
  readonly prisma: PrismaClient;
}

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
    async close() {
      await prisma.$disconnect();
      await database.close();
    },
  };
}
