import { type Queryable, statement } from '@comanda/db';
import type { ParsedKey } from './api-key.ts';

/** A key that is neither revoked nor expired, as the database has it, with its location. */
export interface KeyRow {
  id: string;
  name: string;
  key_hash: Buffer;
  permissions: string[];
  all_event_types: boolean;
  per_minute: number | null;
  monthly: number | null;
  batch_jobs_per_hour: number | null;
  max_items_per_batch: number | null;
  /** Milliseconds until it expires, by the database's clock; null: never. */
  expires_in: number | null;
  /** Milliseconds since its use was last noted. */
  used_ago: number | null;
  location_id: string;
  code: string;
  location_name: string;
  timezone: string;
  currency: string;
  location_created_at: Date;
  sandbox: boolean;
  status: LocationStatus;
}

/** The state of a location: serves all calls, serves reads, serves none, or moved. */
export type LocationStatus = 'active' | 'read_only' | 'disabled' | 'deleting';

/** The database's record of a key: its row; and whether its location went to another cell. */
export interface FoundKey {
  row: KeyRow | undefined;
  moved: boolean;
}

/** Finds the key with this hash; for one that is not there the code says whether its location left. */
export type KeyReader = (key: ParsedKey) => Promise<FoundKey>;

/**
 * Reads keys with one query at a time, for all that were asked for meanwhile: any number of unknown keys keeps
 * one connection busy at most.
 */
export function createKeyReader(database: Queryable): KeyReader {
  const asked = new Map<string, Question>();
  let reading = false;

  async function readAll(): Promise<void> {
    reading = true;
    while (asked.size > 0) {
      const batch = [...asked.entries()].slice(0, batchSize);
      for (const [name] of batch) asked.delete(name);
      try {
        const [hashes, codes] = [
          batch.map(([, { hash }]) => hash),
          batch.map(([, { code }]) => code ?? null),
        ];
        const rows = await database.run(findKeys, [hashes, codes]);
        const found = new Map(rows.map((row) => [row.key_hash.toString('latin1'), row]));
        for (const [name, { resolve }] of batch) {
          const row = found.get(name);
          resolve({ row: row?.id == null ? undefined : row, moved: row?.moved === true });
        }
      } catch (error) {
        for (const [, { reject }] of batch) reject(error);
      }
    }
    reading = false;
  }

  return ({ hash, code }) => {
    const name = hash.toString('latin1');
    const same = asked.get(name);
    if (same !== undefined) return same.answer;
    let resolve: Question['resolve'] = () => {};
    let reject: Question['reject'] = () => {};
    const answer = new Promise<FoundKey>((yes, no) => {
      resolve = yes;
      reject = no;
    });
    asked.set(name, { hash, code, answer, resolve, reject });
    if (!reading) void readAll();
    return answer;
  };
}

interface Question extends ParsedKey {
  answer: Promise<FoundKey>;
  resolve(found: FoundKey): void;
  reject(error: unknown): void;
}

const batchSize = 200;

// One by one, so that no plan reads a whole table; a location that left is looked for only by what is asked for.
const findKeys = statement<(KeyRow | { id: null; key_hash: Buffer }) & { moved: boolean }>(
  'find_api_keys',
  `select k.id, k.name, a.key_hash, k.permissions, k.all_event_types, k.per_minute, k.monthly, k.batch_jobs_per_hour,
    k.max_items_per_batch,
    extract(epoch from k.expires_at - clock_timestamp())::float8 * 1000 as expires_in,
    extract(epoch from clock_timestamp() - k.last_used_at)::float8 * 1000 as used_ago,
    l.id as location_id, l.code, l.name as location_name, l.timezone, l.currency, l.created_at as location_created_at, l.sandbox, l.status,
    m.code is not null as moved
  from unnest($1::bytea[], $2::text[]) as a (key_hash, code)
  left join lateral (select * from api_keys k where k.key_hash = a.key_hash and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > clock_timestamp()) limit 1) k on true
  left join lateral (select * from locations l where l.id = k.location_id limit 1) l on true
  left join lateral (select m.code from internal.moved_locations m where m.code = coalesce(l.code, a.code) limit 1) m on true
  where k.id is not null or m.code is not null`,
);
