import { hostname } from 'node:os';
import { type Queryable, statement } from '../connection/database.ts';
import { newId } from '../ids.ts';
import { heartbeats } from '../lifetimes.ts';
import { type Clock, systemClock } from '../loops/clock.ts';
import { again, startLoop } from '../loops/loop.ts';
import { pidSpace } from './pid-space.ts';

/**
 * The kind of process that a row of `process_heartbeats` describes. A worker's pools of the job queue have rows of
 * their own.
 */
export type HeartbeatKind = 'api' | 'worker' | 'worker_pool';

/** A process that says that it lives. */
export interface Heartbeat {
  /** Names the process, in `process_heartbeats` and wherever it holds something. */
  readonly id: string;
  /**
   * For how many milliseconds its beats have arrived without a gap, while the database's clock ran evenly: only
   * then may it judge others.
   */
  steadyMs(): number;
  /**
   * Resolves at once while its beats arrive; after a gap (it was frozen, the database was away) with the next one. Code
   * that takes hold of something by this heartbeat waits for it: others may take it for dead until then.
   */
  alive(): Promise<void>;
  /** Beats for something else that lives and dies with this process, too. */
  add(id: string, kind: HeartbeatKind): Promise<void>;
  /** Stops beating for what was added and removes its row. */
  remove(id: string): Promise<void>;
  /** Notes that the process has published an event; the next beat says so. */
  published(): void;
  /** Removes every row and stops. One that cannot be reached dies of silence. */
  stop(): Promise<void>;
}

/**
 * Registers the process, then beats every 5 s until stopped. Each beat says how far the machine's clock is from the database's,
 * whether a worker is `paused` (`DELIVERIES=paused`), and when a worker last published. Rejects when the process cannot be registered.
 */
export async function startHeartbeat(
  database: Queryable,
  kind: HeartbeatKind,
  { paused = false, clock = systemClock }: { paused?: boolean; clock?: Clock } = {},
): Promise<Heartbeat> {
  const id = newId();
  const kinds = new Map<string, HeartbeatKind>();
  const space = pidSpace() ?? null;
  let steadySince = clock.now();
  // Of a worker that has just started no gap may be concluded.
  let publishedAt = steadySince;
  let lastAt = steadySince;
  let lastClock: number | undefined;
  let skewMs: number | null = null;
  let stopped = false;
  let beating: Promise<void> | undefined;

  const record = async () => {
    const ids = [...kinds.keys()];
    const began = clock.now();
    const publishedMs = began - publishedAt;
    const values = [ids, [...kinds.values()], hostname(), process.pid, space, skewMs, paused, publishedMs];
    const [row] = await database.run(recordBeats, values);
    const tripMs = clock.now() - began;
    // The next beat says it. The time at which a slow answer was made is unknown.
    if (row !== undefined && tripMs < preciseMs)
      skewMs = Math.max(-intMost, Math.min(intMost, Math.round(row.clock - (Date.now() - tripMs / 2))));
    // Removed while the beat was under way: it must not come back.
    const gone = ids.filter((known) => !kinds.has(known));
    if (gone.length > 0) await database.run(removeBeats, [gone]);
    return row?.clock;
  };
  const beat = async () => {
    const databaseClock = await record();
    const now = clock.now();
    // A clock that was set makes the living look silent until each of them has beaten again.
    const jumped =
      databaseClock !== undefined &&
      lastClock !== undefined &&
      Math.abs(databaseClock - lastClock - (now - lastAt)) > heartbeats.everyMs;
    if (jumped || now - lastAt > heartbeats.gapMs) steadySince = now;
    lastClock = databaseClock;
    lastAt = now;
  };
  const leave = async (ids: string[]) => {
    for (const known of ids) kinds.delete(known);
    await database.run(removeBeats, [ids]);
  };

  const beatOnce = () => {
    beating ??= beat().finally(() => {
      beating = undefined;
    });
    return beating;
  };

  kinds.set(id, kind);
  await beat();
  const loop = startLoop({
    clock,
    ref: false,
    firstRestMs: heartbeats.everyMs,
    async round() {
      const began = clock.now();
      await beatOnce();
      return again(heartbeats.everyMs - (clock.now() - began));
    },
  });

  return {
    id,
    steadyMs() {
      const now = clock.now();
      return now - lastAt > heartbeats.gapMs ? 0 : now - steadySince;
    },
    async alive() {
      if (clock.now() - lastAt > heartbeats.gapMs) await beatOnce();
    },
    async add(added, addedKind) {
      kinds.set(added, addedKind);
      await record();
    },
    remove: (removed) => leave([removed]),
    published() {
      publishedAt = clock.now();
    },
    async stop() {
      if (stopped) return;
      stopped = true;
      await loop.stop();
      await beating?.catch(() => {});
      await leave([...kinds.keys()]).catch(() => {});
    },
  };
}

/** A trip to the database and back that is shorter says what time it is there, to half of this. */
const preciseMs = 500;
/** The most that the column holds: 24 days. */
const intMost = 2_147_483_647;

const recordBeats = statement<{ clock: number }>(
  'record_beats',
  `insert into internal.process_heartbeats (id, kind, host, pid, pid_space, clock_skew_ms, deliveries_paused, published_at)
   select b.id, b.kind, $3, $4, $5, $6::int, $7::boolean,
     case when b.kind = 'worker' then now() - make_interval(secs => $8::float8 / 1000) end
   from unnest($1::text[], $2::text[]) as b (id, kind)
   on conflict (id) do update set seen_at = now(), clock_skew_ms = excluded.clock_skew_ms,
     published_at = excluded.published_at
   returning extract(epoch from clock_timestamp())::float8 * 1000 as clock`,
);

const removeBeats = statement(
  'remove_beats',
  'delete from internal.process_heartbeats where id = any($1::text[])',
);
