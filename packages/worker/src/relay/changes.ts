import {
  type Call,
  publishing,
  publishingLock,
  type Queryable,
  statement,
  type Transaction,
} from '@comanda/db';
import { type CapturedRow, type Change, changesOf, columns, type RowKey } from './captured.ts';

/** A transaction at a location, or one of its parts when it was cut. */
export interface Part {
  locationId: string;
  seed: string;
  part: number;
}

/** The changes to publish of a location. */
export interface Batch {
  locationId: string;
  changes: Change[];
  /** The first transaction is larger than is published at once, and has to be split. */
  toCut?: Part;
}

/** From this many failures on, a change waits for a person; `comanda doctor` shows it. */
export const mostFailures = 10;

/** Changes of a location that are published at once, as long as its first transaction did not make more. */
const fairShare = 500;
/** Changes of one transaction that are published at once; what made more is cut. */
const mostAtOnce = 2_000;
/** Resources of each part that a transaction is cut into. */
const partSize = 250;

/**
 * Reads the locations with a backlog, with the first row of each, which shows the older one. Costs next to nothing
 * when there are none.
 */
export function readWaiting(on: Queryable): Promise<{ locationId: string; id: string }[]> {
  return on.run(waiting, []);
}

/**
 * Takes the locks of those locations that no other worker holds, to the end of the transaction, and answers them.
 * The next statements in it may run, wait for a row and lie idle as `publishing` says, and sort nothing unless
 * they must.
 */
export async function takeLocations(tx: Queryable, locationIds: readonly string[]): Promise<string[]> {
  const rows = await tx.run(take, [locationIds]);
  return rows.map(({ locationId }) => locationId);
}

/** The same as the first statement of a transaction, which is sent with its beginning. */
export const takingLocations = (locationIds: readonly string[]): Call<Taken> => ({
  statement: take,
  values: [locationIds],
});

/** A location whose lock was taken. */
interface Taken {
  locationId: string;
}

/**
 * Reads what comes first at each of these locations, which the caller holds: whole transactions in the order of
 * their last changes, so that of two that changed one resource the later committer comes later. About 500 changes a
 * location, more when its first transaction alone made more.
 */
export async function readBatches(tx: Queryable, locationIds: readonly string[]): Promise<Batch[]> {
  const batches = new Map<string, Batch>();
  for (const row of await tx.run(first, [locationIds])) {
    const { locationId, seed, cut } = row;
    const batch = batches.get(locationId) ?? { locationId, changes: [] };
    batches.set(locationId, batch);
    // The changes behind it wait, too: they may be to the same resources.
    if (batch.toCut !== undefined) continue;
    if (cut) batch.toCut = { locationId, seed, part: 0 };
    else batch.changes.push(...changesOf(row));
  }
  return [...batches.values()];
}

/** Reads what was set aside and is due again at a location, which the caller holds; at most `most` rows. */
export async function readSetAside(tx: Queryable, locationId: string, most: number): Promise<Change[]> {
  return (await tx.run(due, [locationId, most, mostFailures])).flatMap(changesOf);
}

/** Where something that was set aside is to be tried again, and whether it is due. */
export function readSetAsideLocations(on: Queryable): Promise<{ locationId: string; due: boolean }[]> {
  return on.run(setAsideLocations, [mostFailures]);
}

/** Cuts a transaction into parts that are published one by one. The caller holds the location. */
export async function cutIntoParts(tx: Queryable, { locationId, seed, part }: Part): Promise<void> {
  await tx.run(cut, [locationId, seed, part, partSize]);
}

/** Cuts it resource by resource, and answers its changes. The caller holds the location. */
export async function cutIntoResources(tx: Queryable, { locationId, seed, part }: Part): Promise<Change[]> {
  return (await tx.run(cutAndRead, [locationId, seed, part])).flatMap(changesOf);
}

/** Notes that split transactions changed the catalog: it is published once, after all their parts. */
export function noteCatalog(tx: Transaction, parts: readonly Pick<Part, 'locationId' | 'seed'>[]): void {
  if (parts.length === 0) return;
  tx.send(note, [parts.map(({ locationId }) => locationId), parts.map(({ seed }) => seed)]);
}

/** Whether all of these rows still wait. */
export async function stillWait(tx: Queryable, rows: readonly RowKey[]): Promise<boolean> {
  const [found] = await tx.run(countWaiting, keysOf(rows));
  return found?.count === rows.length;
}

/** Removes rows that are published. */
export function removeRows(tx: Transaction, rows: readonly RowKey[]): void {
  tx.send(remove, keysOf(rows));
}

/** Whether the location is still there. */
export async function isLocated(on: Queryable, locationId: string): Promise<boolean> {
  return (await on.run(findLocation, [locationId])).length > 0;
}

/** Sets rows aside that could not be published, with the reason, for 2, 4, 8 … 300 seconds. */
export async function setAside(tx: Queryable, rows: readonly RowKey[], reason: string): Promise<void> {
  await tx.run(fail, [...keysOf(rows), reason.replaceAll('\0', '').slice(0, 1_000)]);
}

/** Lets rows that were set aside wait for ten seconds more: another transaction holds rows that they need. */
export async function postpone(on: Queryable, rows: readonly RowKey[]): Promise<void> {
  await on.run(wait, keysOf(rows));
}

const keysOf = (rows: readonly RowKey[]) => [
  rows.map(({ locationId }) => locationId),
  rows.map(({ id }) => id),
  rows.map(({ line }) => line),
  rows.map(({ seed }) => seed),
  rows.map(({ part }) => part),
];

const waiting = statement<{ locationId: string; id: string }>(
  'relay_waiting',
  `select location_id as "locationId", id::text from waiting_locations()`,
);

const take = statement<Taken>(
  'relay_take',
  `select w.id as "locationId", set_config('statement_timeout', '${publishing.statementMs}', true), set_config('lock_timeout', '${publishing.lockMs}', true),
     set_config('idle_in_transaction_session_timeout', '${publishing.idleInTransactionMs}', true),
     set_config('enable_sort', 'off', true), set_config('enable_incremental_sort', 'off', true)
   from unnest($1::uuid[]) with ordinality w (id, place)
   where pg_try_advisory_xact_lock(${publishingLock('w.id')}) order by w.place`,
);

// Where nothing may be sorted the index of transactions alone gives their order. By what the planner knows of an empty queue it
// could read all that waits at a location for each of them.
const ofTransaction = 'c.seed = t.seed and c.location_id = w.location_id and c.failures = 0';

// Of the transactions that begin in a window of the first rows. One that ends beyond it, where others may have come
// before its end, is taken for too big: split, its position is that of its end. Of one that was split the first
// parts are read.
const first = statement<CapturedRow & { cut: boolean }>(
  'relay_first_changes',
  `select w.location_id as "locationId", f.seed, f.cut, ${columns('c')}
   from unnest($1::uuid[]) with ordinality w (location_id, place)
   cross join lateral (
     with near as materialized (
       select c.id, c.seed from internal.captured_changes c where c.location_id = w.location_id and c.failures = 0
       order by c.id, c.line limit ${fairShare}
     ), transactions as (
       select t.seed, l.last, p.last_part, s.changes
       from (select distinct seed from near) t
       cross join lateral (select c.id as last from internal.captured_changes c where ${ofTransaction}
         order by c.part desc, c.id desc, c.line desc limit 1) l
       cross join lateral (
         select max(r.part) as last_part from (
           select c.part, sum(cardinality(c.resource_ids)) over (order by c.part, c.id, c.line) - cardinality(c.resource_ids) as earlier
           from (select * from internal.captured_changes c where ${ofTransaction} order by c.part, c.id, c.line limit 100) c
         ) r where r.earlier < ${fairShare}) p
       cross join lateral (
         select sum(cardinality(c.resource_ids)) as changes from (
           select c.resource_ids from internal.captured_changes c where ${ofTransaction} and c.part <= p.last_part
           order by c.part, c.id, c.line limit ${mostAtOnce} + 1) c) s
     ), queued as (
       select t.*, sum(t.changes) over (order by t.last) - t.changes as earlier,
         t.last_part = 0 and t.changes > ${mostAtOnce}
           or t.last > (select max(id) from near) and (select count(*) from near) = ${fairShare} as cut
       from transactions t
     )
     select * from queued where earlier < ${fairShare}
   ) f
   left join lateral (
     select c.* from internal.captured_changes c
     where c.seed = f.seed and c.location_id = w.location_id and c.part <= f.last_part and c.failures = 0 and not f.cut
     order by c.part, c.id, c.line offset 0
   ) c on true
   order by w.place, f.last, c.part, c.id, c.line`,
);

const setAsideLocations = statement<{ locationId: string; due: boolean }>(
  'relay_set_aside_locations',
  `select d.location_id as "locationId", bool_or(d.retry_at <= now()) as due from (
     select c.location_id, c.retry_at from internal.captured_changes c
     where c.failures > 0 and c.failures < $1 order by c.retry_at limit 100) d
   group by 1`,
);

const due = statement<CapturedRow>(
  'relay_due_changes',
  // Found by its own small index first: in the order of ids the whole backlog might be passed.
  `select c.location_id as "locationId", c.seed, ${columns('c')} from (
     select * from internal.captured_changes where failures > 0 and failures < $3 and retry_at <= now() offset 0
   ) c where c.location_id = $1::uuid order by c.id, c.line limit $2`,
);

const cut = statement(
  'relay_cut',
  'select count(*) from cut_transaction($1::uuid, $2::uuid, $3::int, $4::int)',
);

const cutAndRead = statement<CapturedRow>(
  'relay_cut_and_read',
  `select c.location_id as "locationId", c.seed, ${columns('c')}
   from cut_transaction($1::uuid, $2::uuid, $3::int, 1) c order by c.part, c.id, c.line`,
);

const note = statement('relay_note_catalog', 'select note_catalog($1::uuid[], $2::uuid[])');

// By all columns of either index: in a small table the planner takes any.
const keys =
  'unnest($1::uuid[], $2::bigint[], $3::int[], $4::uuid[], $5::int[]) as k (location_id, id, line, seed, part)';
const sameRow =
  'c.location_id = k.location_id and c.id = k.id and c.line = k.line and c.seed = k.seed and c.part = k.part';

const countWaiting = statement<{ count: number }>(
  'relay_count_waiting',
  `select count(*)::int as count from ${keys}
   cross join lateral (select from internal.captured_changes c where ${sameRow} limit 1) c`,
);

const findLocation = statement<{ one: number }>(
  'relay_find_location',
  'select 1 as one from locations where id = $1::uuid',
);

const theseRows = `c.ctid = any (array(
     select f.ctid from ${keys} cross join lateral (
       select c.ctid from internal.captured_changes c where ${sameRow} limit 1) f))`;

const remove = statement(
  'relay_remove_changes',
  `delete from internal.captured_changes c where ${theseRows}`,
);

const wait = statement(
  'relay_postpone',
  `update internal.captured_changes c set retry_at = now() + interval '10 seconds' where ${theseRows} and c.failures > 0`,
);

// Its changes to the catalog are noted by then, for the transaction.
const fail = statement(
  'relay_set_aside',
  `update internal.captured_changes c set failures = c.failures + 1, error = $6, in_catalog = false,
     retry_at = now() + make_interval(secs => least(300, 2 ^ (c.failures + 1)))
   where ${theseRows}`,
);
