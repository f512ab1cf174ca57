import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import { workLimits } from '../lifetimes.ts';
import type { Database } from './database.ts';

/** A Prisma transaction. */
export type PrismaTransaction = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0];

/**
 * Prisma over the pool of a database, for the seed and for tests: it ends with the pool. Neither the API nor the worker has it, of whose
 * memory it takes tens of megabytes.
 */
export function prismaOver({ pool }: Pick<Database, 'pool'>): PrismaClient {
  const { waitMs, statementMs } = workLimits.command;
  return new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: { maxWait: waitMs, timeout: statementMs },
  });
}
