import { type Queryable, statement } from '@comanda/db';

/** Notes when keys were used. */
export interface LastUsed {
  /** Notes a use, soon and together with others. */
  note(keyId: string): void;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

/** How often a use of one key is worth noting, in milliseconds: a little more than the minute the table keeps. */
export const noteEveryMs = 62_000;

const gatherMs = 1_000;

/** Gathers uses for a second and writes them in one statement: no request waits for it, none fails with it. */
export function createLastUsed(database: Queryable): LastUsed {
  const noted = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const ids = [...noted];
    noted.clear();
    if (ids.length > 0) await database.run(writeLastUsed, [ids]).catch(() => {});
  }

  return {
    note(keyId) {
      noted.add(keyId);
      if (timer !== undefined) return;
      timer = setTimeout(() => void write(), gatherMs);
      timer.unref();
    },
    close: write,
  };
}

// A row that another process is writing is left to it; a minute must have passed since any process noted it.
const writeLastUsed = statement(
  'write_last_used',
  `update api_keys k set last_used_at = clock_timestamp()
  from (
    select location_id, id from api_keys
    where id = any($1::uuid[])
      and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')
    order by id for no key update skip locked
  ) due
  where k.location_id = due.location_id and k.id = due.id`,
);
