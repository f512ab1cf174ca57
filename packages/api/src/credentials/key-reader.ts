import { type Queryable, statement } from '@comanda/db';

/** A key that is neither revoked nor expired, as the database has it, with its location. */
export interface KeyRow {
  id: string;
  name: string;
  key_hash: Buffer;
  permissions: string[];
  per_minute: number | null;
  monthly: number | null;
  batch_jobs_per_hour: number | null;
  max_items_per_batch: number | null;
  /** Milliseconds until it expires, by the database's clock; null: never. */
  expires_in: number | null;
  /** Milliseconds since its use was last noted. */
  used_ago: number | null;
  location_id: string;
  location_name: string;
  timezone: string;
  currency: string;
  location_created_at: Date;
}

/** Finds the key with this hash. */
export type KeyReader = (hash: Buffer) => Promise<KeyRow | undefined>;

/**
 * Reads keys with one query at a time, for all that were asked for meanwhile: however many unknown keys somebody
 * sends, they keep one connection busy at most.
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
        const rows = await database.run(findKeys, [batch.map(([, { hash }]) => hash)]);
        const found = new Map(rows.map((row) => [row.key_hash.toString('latin1'), row]));
        for (const [name, { resolve }] of batch) resolve(found.get(name));
      } catch (error) {
        for (const [, { reject }] of batch) reject(error);
      }
    }
    reading = false;
  }

  return (hash) => {
    const name = hash.toString('latin1');
    const same = asked.get(name);
    if (same !== undefined) return same.answer;
    let resolve: Question['resolve'] = () => {};
    let reject: Question['reject'] = () => {};
    const answer = new Promise<KeyRow | undefined>((yes, no) => {
      resolve = yes;
      reject = no;
    });
    asked.set(name, { hash, answer, resolve, reject });
    if (!reading) void readAll();
    return answer;
  };
}

interface Question {
  hash: Buffer;
  answer: Promise<KeyRow | undefined>;
  resolve(row: KeyRow | undefined): void;
  reject(error: unknown): void;
}

const batchSize = 200;

const findKeys = statement<KeyRow>(
  'find_api_keys',
  `select k.id, k.name, k.key_hash, k.permissions, k.per_minute, k.monthly, k.batch_jobs_per_hour,
    k.max_items_per_batch,
    extract(epoch from k.expires_at - clock_timestamp())::float8 * 1000 as expires_in,
    extract(epoch from clock_timestamp() - k.last_used_at)::float8 * 1000 as used_ago,
    l.id as location_id, l.name as location_name, l.timezone, l.currency, l.created_at as location_created_at
  from api_keys k join locations l on l.id = k.location_id
  where k.key_hash = any($1::bytea[]) and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > clock_timestamp())`,
);
