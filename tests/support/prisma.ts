import type { Database } from '@comanda/db';
import { prismaOver } from '@comanda/db/prisma';

type Prisma = ReturnType<typeof prismaOver>;

const known = new WeakMap<Database['pool'], Prisma>();

/** Prisma over the pool of a database, made once for each. */
export function prismaOf({ pool }: Pick<Database, 'pool'>): Prisma {
  const prisma = known.get(pool) ?? prismaOver({ pool });
  known.set(pool, prisma);
  return prisma;
}
