import { leaseMarginMs } from '@comanda/db';
import { connectMsOf } from '../http/sender.ts';
import type { DeliveryOptions } from './endpoint-loop.ts';
import type { EndpointRef } from './endpoint-ref.ts';
import { untilAvailable } from './limits.ts';
import { openSecrets } from './open-secrets.ts';
import type { ReadyDelivery } from './ready-delivery.ts';
import { claimDeliveries, returnDeliveries, sealedOf } from './statements.ts';
import { freshMs, noteWay } from './way.ts';

/** The result of a look for due deliveries. */
export interface Claimed {
  /** How many it claimed. */
  found: number;
  /** How large their bodies are. */
  bytes: number;
  /** Those of them that can be sent. */
  claimed: ReadyDelivery[];
  /** The last of them. */
  last?: Position;
}

/** A position among the due deliveries of an endpoint, which are claimed in the order of their due times and ids. */
export interface Position {
  dueAt: string;
  id: string;
}

/** Before all of them. */
export const beginning: Position = { dueAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/**
 * Claims due deliveries of an endpoint, at most `most` and until the bodies hold `bytes`; `held` are those that this
 * worker has claimed already. Deliveries due before `after` are skipped.
 *
 * @throws {UnsignableError} when it cannot be signed here; then it was given back.
 */
export async function claim(
  options: DeliveryOptions,
  endpoint: EndpointRef,
  { most, bytes }: { most: number; bytes: number },
  held: readonly string[],
  after: Position,
): Promise<Claimed> {
  const { clock, database, timeoutMs, workerId, signing } = options;
  const { locationId, endpointId } = endpoint;
  await options.alive();
  const askedAt = clock.now();
  const sendBy = askedAt + freshMs;
  const rows = await database.run(claimDeliveries, [
    locationId,
    endpointId,
    most,
    bytes,
    leaseMsOf(timeoutMs),
    workerId,
    held,
    after.dueAt,
    after.id,
  ]);
  noteWay(database, clock.now() - askedAt, clock);
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return { found: 0, bytes: 0, claimed: [] };
  try {
    const secrets = openSecrets(options, endpoint, first.secrets);
    signing.opened(endpointId);
    const claimed = rows.map(({ body, ...delivery }) => ({
      delivery,
      secrets,
      sendBy,
      sealed: sealedOf(first.secrets),
      body: Buffer.from(body),
    }));
    const size = claimed.reduce((sum, { body }) => sum + body.length, 0);
    return { found: rows.length, bytes: size, claimed, last };
  } catch (error) {
    // An internal fault (a wrong ENCRYPTION_KEY): it must not use up the consumer's attempts.
    await giveBack(
      options,
      endpoint,
      rows.map(({ id }) => id),
    );
    throw error;
  }
}

/** How long a claim lasts: as long as an attempt may take, and a margin. */
export const leaseMsOf = (timeoutMs: number): number => connectMsOf(timeoutMs) + timeoutMs + leaseMarginMs;

/** Gives claims back without an attempt; they stay due. Tries again while the database is away. */
export async function giveBack(
  { clock, database, workerId }: DeliveryOptions,
  { locationId }: EndpointRef,
  ids: readonly string[],
): Promise<void> {
  await untilAvailable(() => database.run(returnDeliveries, [locationId, ids, workerId]), clock);
}
