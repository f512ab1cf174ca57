import { type Database, isUnavailable } from '@comanda/db';
import type { MadeAttempt } from './attempt.ts';
import type { EndpointRef } from './endpoint-loop.ts';
import { untilAvailable } from './patience.ts';
import { recordAttempts } from './statements.ts';

/** What recording needs to know of this worker. */
export interface RecordOptions {
  workerId: string;
  /** Seconds before attempts 2 to 5; an attempt after the last of them is the last. */
  retryDelaysSeconds: readonly number[];
}

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
  try {
    // What cannot be recorded is sent again.
    await untilAvailable(() => recordTogether(database, endpoint, made, options));
  } catch (error) {
    if (isUnavailable(error) || made.length === 1) throw error;
    // Whatever is wrong with one of them, the others count.
    for (const one of made) await record(database, endpoint, [one], options);
  }
}

/** How often attempts are told again whose deliveries were being changed; what is still left counts for nobody. */
const mostTellings = 3;

async function recordTogether(
  database: Database,
  { locationId, endpointId }: EndpointRef,
  made: readonly MadeAttempt[],
  { workerId, retryDelaysSeconds }: RecordOptions,
): Promise<void> {
  let left = made;
  for (let telling = 1; left.length > 0 && telling <= mostTellings; telling += 1) {
    const now = performance.now();
    const recorded = await database.run(recordAttempts, [
      locationId,
      endpointId,
      workerId,
      retryDelaysSeconds,
      left.map(({ deliveryId }) => deliveryId),
      left.map(({ attempt }) => attempt),
      left.map(({ eventType }) => eventType),
      left.map(({ ok }) => ok),
      left.map(({ responseCode }) => responseCode ?? null),
      left.map(({ responseBody }) => storable(responseBody)),
      left.map(({ error }) => storable(error)),
      left.map(({ durationMs }) => Math.round(durationMs)),
      left.map(({ endedAt }) => now - endedAt),
    ]);
    if (recorded.length === left.length) return;
    const ids = new Set(recorded.map(({ id }) => id));
    left = left.filter(({ deliveryId }) => !ids.has(deliveryId));
  }
}

// A consumer may answer anything; Postgres takes no U+0000.
function storable(text: string | undefined): string | null {
  return text === undefined ? null : text.replaceAll('\0', '\ufffd');
}
