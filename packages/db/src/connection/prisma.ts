import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import { workLimits } from '../lifetimes.ts';
import type { Database } from './database.ts';

export type { Prisma } from '../generated/prisma/client.ts';

/** A Prisma transaction. */
export type PrismaTransaction = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0];

/**
 * Prisma over the pool of a database, for tests and the bench: it ends with the pool. No program of the service has it: it takes tens
 * of megabytes of memory, and half a second of CPU to load.
 */
export function prismaOver({ pool }: Pick<Database, 'pool'>): PrismaClient {
  const { waitMs, statementMs } = workLimits.command;
  return new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: { maxWait: waitMs, timeout: statementMs },
  });
}
