import type pg from 'pg';
import { MigrationError } from './migration-error.ts';

/** A state of the folder that a database was brought to. */
export interface SqlRelease {
  hash: string;
  release: string;
}

/**
 * Below 0 when release `a` is older than `b`, above when it is newer, as semantic versioning orders them.
 * @throws {MigrationError} one is no such version.
 */
export function compareReleases(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  const at = left.findIndex((part, index) => part !== right[index]);
  const [one, other] = [left[at], right[at]];
  if (one === undefined || other === undefined) return left.length - right.length;
  // Of two marks of an early version the number comes first.
  if (typeof one !== typeof other) return typeof one === 'number' ? -1 : 1;
  return one < other ? -1 : 1;
}

/**
 * Whether release `a` comes before `b`: by version, and within a version by the time of the commit. A build of edited files, or of
 * an unknown commit, comes before no other of its version: edits of a developer must be applied, and their undo, too.
 * @throws {MigrationError} one is no such version.
 */
export function isBefore(a: string, b: string): boolean {
  const order = compareReleases(a, b);
  if (order !== 0) return order < 0;
  const [own, other] = [timeOf(a), timeOf(b)];
  return own !== undefined && other !== undefined && !a.endsWith('-dirty') && own < other;
}

const timeOf = (release: string): string | undefined => /\+(\d{8}T\d{6}Z)\./.exec(release)?.[1];

/** The releases that the database was brought to so far, the latest first; none in a database without the table. */
export async function readReleases(client: Pick<pg.Client, 'query'>): Promise<SqlRelease[]> {
  const found = await client.query<{ there: boolean }>(
    `select to_regclass('internal.sql_releases') is not null as there`,
  );
  if (found.rows[0]?.there !== true) return [];
  const { rows } = await client.query<SqlRelease>(
    'select hash, release from internal.sql_releases order by applied_at desc',
  );
  return rows;
}

/** Whether a version may work with the functions, views and triggers of a database. */
export type SqlState =
  | 'applied'
  /** They were applied, and those of a newer version since, or of another build of this one. */
  | 'followed'
  /** They were never applied, or those of an older version are there: its `npm start` applies them. */
  | 'missing'
  /** They were never applied, and those of a newer build are there, which this one leaves as they are. */
  | 'outdated';

/** The consequence of `releases`, the latest first, for a version. */
export function sqlStateOf(releases: readonly SqlRelease[], own: SqlRelease): SqlState {
  const [latest] = releases;
  if (latest === undefined) return 'missing';
  if (latest.hash === own.hash) return 'applied';
  const age = compareReleases(latest.release, own.release);
  if (age >= 0 && releases.some(({ hash }) => hash === own.hash)) return 'followed';
  return isBefore(own.release, latest.release) ? 'outdated' : 'missing';
}

/** The checksum of a migration's file, as the latest release that applied it or found it applied had it. */
export interface KnownChecksum {
  name: string;
  checksum: string;
  release: string;
}

/** The migrations of earlier releases; none in a database without the table. */
export async function readKnownChecksums(client: Pick<pg.Client, 'query'>): Promise<KnownChecksum[]> {
  const found = await client.query<{ there: boolean }>(
    `select exists (select from pg_attribute
       where attrelid = to_regclass('internal.sql_releases') and attname = 'migrations') as there`,
  );
  if (found.rows[0]?.there !== true) return [];
  const { rows } = await client.query<KnownChecksum>(
    `select distinct on (m.key) m.key as name, m.value as checksum, r.release
     from internal.sql_releases r cross join jsonb_each_text(r.migrations) m order by m.key, r.applied_at desc`,
  );
  return rows;
}

/**
 * Remembers that the database was brought to this state, and with which files of migrations; writes nothing when it is
 * the latest already.
 */
export async function recordRelease(
  client: pg.Client,
  { hash, release }: SqlRelease,
  migrations: Readonly<Record<string, string>>,
): Promise<void> {
  const [latest] = await readReleases(client);
  if (latest?.hash === hash && latest.release === release) {
    await client.query(
      'update internal.sql_releases set migrations = $2::jsonb where hash = $1 and migrations <> $2::jsonb',
      [hash, JSON.stringify(migrations)],
    );
    return;
  }
  // The latest stays the latest, though the clock be set back.
  await client.query(
    `insert into internal.sql_releases (hash, release, applied_at, migrations)
     values ($1, $2, greatest(clock_timestamp(), (select max(applied_at) + interval '1 ms' from internal.sql_releases)), $3::jsonb)
     on conflict (hash) do update
     set release = excluded.release, applied_at = excluded.applied_at, migrations = excluded.migrations`,
    [hash, release, JSON.stringify(migrations)],
  );
}

function partsOf(release: string): (number | string)[] {
  const [, numbers, early] = /^(\d+\.\d+\.\d+)(?:-([\w.-]+))?(?:\+[\w.-]+)?$/.exec(release) ?? [];
  if (numbers === undefined) throw new MigrationError(`${release} is no version such as 1.20.3`);
  // A release is newer than what led to it: no mark of an early version is behind "~".
  return `${numbers}.${early ?? '~'}`.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
