import { type Queryable, statement } from '@comanda/db';

/** A JSON object as Postgres gives it. */
export type JsonObject = { [member: string]: unknown };

/** A change as the triggers captured it. */
export interface Change {
  /** Its place in the queue; a decimal number of up to 64 bits. */
  id: string;
  transactionId: string;
  locationId: string;
  resource: string;
  resourceId: string;
  /** insert, update, delete, or an action such as test or publish */
  operation: string;
  /** The columns that differ. */
  changed: string[];
  /** Whether it shows in GET /v2/catalog. */
  inCatalog: boolean;
  before: JsonObject | null;
  after: JsonObject | null;
  requestId: string | null;
  capturedAt: Date;
  /** Whether its location still exists; nobody is left to be told otherwise. */
  located: boolean;
}

/** From this many failures on, a change waits for a person; `comanda doctor` shows it. */
export const mostFailures = 10;

/**
 * Takes the relay's lock for this transaction; false when another worker holds it. Gives big batches time,
 * and keeps the compiler of queries out of them.
 */
export async function takeRelayLock(tx: Queryable): Promise<boolean> {
  const [row] = await tx.run(lock, []);
  return row?.taken === true;
}

/**
 * Reads what comes first, whole transactions in the order of their commits as far as they touched the same
 * resources; about `most` changes, more when one transaction alone made more.
 */
export function readChanges(tx: Queryable, most: number): Promise<Change[]> {
  return tx.run(firstChanges, [most]);
}

/** Reads what was set aside and is due again, at most `most`. */
export function readSetAside(tx: Queryable, most: number): Promise<Change[]> {
  return tx.run(dueChanges, [most, mostFailures]);
}

/** Whether anything waits; costs next to nothing when nothing does. */
export async function anythingWaits(on: Queryable): Promise<boolean> {
  return (await on.run(firstWaiting, [])).length > 0;
}

/** Whether all of these changes still wait. */
export async function stillWait(tx: Queryable, ids: readonly string[]): Promise<boolean> {
  const [row] = await tx.run(countWaiting, [ids]);
  return row?.count === ids.length;
}

/** Whether the location is still there. */
export async function isLocated(on: Queryable, locationId: string): Promise<boolean> {
  return (await on.run(findLocation, [locationId])).length > 0;
}

/** Removes changes that are published. */
export async function removeChanges(tx: Queryable, ids: readonly string[]): Promise<void> {
  await tx.run(remove, [ids]);
}

/** Sets changes aside that could not be published, with the reason, for 2, 4, 8 … 300 seconds. */
export async function setAside(on: Queryable, ids: readonly string[], reason: string): Promise<void> {
  await on.run(fail, [ids, reason.replaceAll('\0', '').slice(0, 1_000)]);
}

const lock = statement<{ taken: boolean }>(
  'relay_lock',
  `select set_config('statement_timeout', '120s', true), set_config('jit', 'off', true),
    pg_try_advisory_xact_lock(hashtextextended('comanda relay', 0)) as taken`,
);

const columns = `c.id::text, c.transaction_id::text as "transactionId", c.location_id as "locationId", c.resource,
  c.resource_id as "resourceId", c.operation, c.changed, c.in_catalog as "inCatalog", c.before, c.after, c.request_id as "requestId",
  c.captured_at as "capturedAt", exists (select from locations l where l.id = c.location_id) as located`;

// By the last change of each transaction: of two that changed one resource, the later committer comes later.
// The window may end inside a transaction: its last change is looked up, and unless it comes first anyway it waits
// until what lies before that change is published. (The "+ 0" keeps the planner from walking the ids for it.)
const firstChanges = statement<Change>(
  'relay_first_changes',
  `with window_of as (
     select id, transaction_id from internal.captured_changes where failures = 0 order by id limit $1 * 4
   ), transactions as (
     select transaction_id, count(*) as changes,
       (select max(c.id + 0) from internal.captured_changes c where c.transaction_id = w.transaction_id and c.failures = 0) as last
     from window_of w group by transaction_id
   ), first as (
     select transaction_id, last, sum(changes) over (order by last) - changes as earlier from transactions
   )
   select ${columns} from first f join internal.captured_changes c using (transaction_id)
   where f.earlier < $1 and c.failures = 0
     and (f.earlier = 0 or f.last <= (select max(id) from window_of) or (select count(*) from window_of) < $1 * 4)
   order by f.last, c.id`,
);

const dueChanges = statement<Change>(
  'relay_due_changes',
  // Found by its own small index first: in the order of ids the whole backlog might be passed.
  `select ${columns} from (
     select * from internal.captured_changes where failures > 0 and failures < $2 and retry_at <= now() offset 0
   ) c order by c.id limit $1`,
);

const firstWaiting = statement<{ one: number }>(
  'relay_first_waiting',
  `select 1 as one from internal.captured_changes where failures = 0 order by id limit 1`,
);

const countWaiting = statement<{ count: number }>(
  'relay_count_waiting',
  `select count(*)::int as count from internal.captured_changes where id = any ($1::bigint[])`,
);

const findLocation = statement<{ one: number }>(
  'relay_find_location',
  'select 1 as one from locations where id = $1::uuid',
);

const remove = statement(
  'relay_remove_changes',
  `delete from internal.captured_changes where id = any ($1::bigint[])`,
);

const fail = statement(
  'relay_set_aside',
  `update internal.captured_changes set failures = failures + 1, error = $2,
     retry_at = now() + make_interval(secs => least(300, 2 ^ (failures + 1)))
   where id = any ($1::bigint[])`,
);
