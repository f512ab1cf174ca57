import { type Database, prismaOver } from '@comanda/db';

type Prisma = ReturnType<typeof prismaOver>;

const known = new WeakMap<Database['pool'], Prisma>();

/** Prisma over the pool of a database, made once for each. */
export function prismaOf({ pool }: Pick<Database, 'pool'>): Prisma {
  const prisma = known.get(pool) ?? prismaOver({ pool });
  known.set(pool, prisma);
  return prisma;
}
