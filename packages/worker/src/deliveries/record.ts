import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, isUnavailable } from '@comanda/db';
import { backoffMs } from '../backoff.ts';
import type { MadeAttempt } from './attempt.ts';
import type { EndpointRef } from './endpoint-loop.ts';
import { recordAttempts } from './statements.ts';

/** What recording needs to know of this worker. */
export interface RecordOptions {
  workerId: string;
  /** Seconds before attempts 2 to 5; an attempt after the last of them is the last. */
  retryDelaysSeconds: readonly number[];
}

/** How long a database that is away is waited for: what cannot be recorded is sent again. */
const patienceMs = 60_000;

/**
 * Records attempts of one endpoint in one statement, trying again while the database is away.
 *
 * @throws what the database throws when it stays away for a minute, or refuses each attempt by itself.
 */
export async function record(
  database: Database,
  endpoint: EndpointRef,
  made: readonly MadeAttempt[],
  options: RecordOptions,
): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  for (let failures = 1; ; failures += 1) {
    try {
      return await recordTogether(database, endpoint, made, options);
    } catch (error) {
      const passing = isUnavailable(error);
      if (!passing && made.length > 1) {
        // Whatever is wrong with one of them, the others count.
        for (const one of made) await record(database, endpoint, [one], options);
        return;
      }
      if (!passing || performance.now() > giveUpAt) throw error;
      await sleep(backoffMs(failures));
    }
  }
}

async function recordTogether(
  database: Database,
  { locationId, endpointId }: EndpointRef,
  made: readonly MadeAttempt[],
  { workerId, retryDelaysSeconds }: RecordOptions,
): Promise<void> {
  const now = performance.now();
  await database.run(recordAttempts, [
    locationId,
    endpointId,
    workerId,
    retryDelaysSeconds,
    made.map(({ deliveryId }) => deliveryId),
    made.map(({ attempt }) => attempt),
    made.map(({ ok }) => ok),
    made.map(({ responseCode }) => responseCode ?? null),
    made.map(({ responseBody }) => storable(responseBody)),
    made.map(({ error }) => storable(error)),
    made.map(({ durationMs }) => Math.round(durationMs)),
    made.map(({ endedAt }) => now - endedAt),
  ]);
}

// A consumer may answer anything; Postgres takes no U+0000.
function storable(text: string | undefined): string | null {
  return text === undefined ? null : text.replaceAll('\0', '\ufffd');
}
