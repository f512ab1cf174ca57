import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot, statement } from '@comanda/db';
import { shownDocuments } from './documents.ts';
import type { Harm, Invariant, Repaired } from './invariant.ts';
import { checksums, enableTriggers, functionsAndTriggers, timeZones } from './schema.ts';
import { syncJobs } from './sync-jobs.ts';

/** The invariants, in the order of their report and repair: those that guard the rest come first. */
export const invariants: readonly Invariant[] = [
  checksums,
  functionsAndTriggers,
  { ...readInvariant('disabled triggers'), repairs: enableTriggers },
  readInvariant('constraints and indexes'),
  timeZones,
  readInvariant('counts'),
  readInvariant('catalog version'),
  readInvariant('order numbers'),
  readInvariant('event numbers'),
  readInvariant('orders'),
  readInvariant('order gaps'),
  readInvariant('payments'),
  readInvariant('amounts'),
  readInvariant('books'),
  readInvariant('settlements'),
  readInvariant('event feed'),
  readInvariant('endpoint secrets'),
  readInvariant('names'),
  readInvariant('deliveries'),
  syncJobs,
  shownDocuments,
  readInvariant('subselections'),
  readInvariant('identifiers'),
];

/**
 * Reads an invariant from the file of `prisma/invariants` that has its name: the fields in comments, an empty line, the query for the
 * rows that break the invariant, and the repair below `-- repair:` if there is one. A query with `$1` runs once for each location.
 */
function readInvariant(name: string): Invariant {
  const file = `${name.replaceAll(' ', '-')}.sql`;
  const text = readFileSync(join(repositoryRoot, 'prisma/invariants', file), 'utf8');
  const [asked = '', repair] = text.split('\n\n-- repair:\n');
  const end = asked.indexOf('\n\n');
  const [head, query] = [asked.slice(0, end), asked.slice(end + 2)];
  const field = (key: string): string | undefined =>
    new RegExp(`^-- ${key}: (.*(?:\n--   .*)*)`, 'm').exec(head)?.[1]?.replaceAll('\n--   ', ' ');
  const [means, advice, newest] = [field('means'), field('advice'), field('newest')];
  if (means === undefined || advice === undefined)
    throw new Error(`prisma/invariants/${file} does not begin with "-- means:" and "-- advice:"`);
  return {
    name,
    means,
    advice,
    of: query.includes('$1') ? 'location' : 'database',
    ...(newest !== undefined && { newest: Number(newest) }),
    asks: statement<Harm>(`doctor_${file}`, query),
    ...(repair !== undefined && { repairs: statement<Repaired>(`repair_${file}`, repair) }),
  };
}
