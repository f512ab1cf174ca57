import { type Clock, type Database, isUnavailable } from '@comanda/db';
import type { MadeAttempt } from './attempt.ts';
import type { EndpointRef } from './endpoint-ref.ts';
import { untilAvailable } from './limits.ts';
import { recordAttempts } from './record.statements.ts';

/** The parameters of recording that depend on this worker. */
export interface RecordOptions {
  clock: Clock;
  workerId: string;
  /** Seconds before attempts 2 to 5; an attempt after the last of them is the last. */
  retryDelaysSeconds: readonly number[];
}

/**
 * Records attempts of one endpoint in one statement, trying again while the database is away. Returns whether all of
 * them counted.
 *
 * @throws what the database throws when it stays away for a minute, or refuses each attempt by itself.
 */
export async function record(
  database: Database,
  endpoint: EndpointRef,
  made: readonly MadeAttempt[],
  options: RecordOptions,
): Promise<boolean> {
  try {
    // A delivery that cannot be recorded is sent again.
    return await untilAvailable(() => recordTogether(database, endpoint, made, options), options.clock);
  } catch (error) {
    if (isUnavailable(error) || made.length === 1) throw error;
    // A fault in one of them does not affect the others.
    let whole = true;
    for (const one of made) whole = (await record(database, endpoint, [one], options)) && whole;
    return whole;
  }
}

/** How often attempts are recorded again whose deliveries were being changed; those still left are not recorded. */
const mostRounds = 3;

async function recordTogether(
  database: Database,
  { locationId, endpointId }: EndpointRef,
  made: readonly MadeAttempt[],
  options: RecordOptions,
): Promise<boolean> {
  let left = made;
  for (let round = 1; left.length > 0 && round <= mostRounds; round += 1) {
    const values = [...valuesOf(left, options), locationId, endpointId];
    const recorded = await database.run(recordAttempts, values);
    const ids = new Set(recorded.map(({ id }) => id));
    left = left.filter(({ deliveryId }) => !ids.has(deliveryId));
  }
  return left.length === 0;
}

/** The values that every statement which records attempts begins with. */
export function valuesOf(
  made: readonly MadeAttempt[],
  { clock, workerId, retryDelaysSeconds }: RecordOptions,
): unknown[] {
  const now = clock.now();
  return [
    workerId,
    retryDelaysSeconds,
    made.map(({ deliveryId }) => deliveryId),
    made.map(({ attempt }) => attempt),
    made.map(({ eventType }) => eventType),
    made.map(({ ok }) => ok),
    made.map(({ responseCode }) => responseCode ?? null),
    made.map(({ responseBody }) => storable(responseBody)),
    made.map(({ error }) => storable(error)),
    made.map(({ durationMs }) => Math.round(durationMs)),
    made.map(({ endedAt }) => now - endedAt),
  ];
}

// A consumer may answer anything; Postgres takes no U+0000.
function storable(text: string | undefined): string | null {
  return text === undefined ? null : text.replaceAll('\0', '\ufffd');
}
