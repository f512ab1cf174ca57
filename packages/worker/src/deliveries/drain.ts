import { addJob, deliveryJobKey } from '@comanda/db';
import { pause } from '../waker.ts';
import { type MadeAttempt, makeAttempt, openSecrets } from './attempt.ts';
import { logAttempt } from './attempt-log.ts';
import type { DeliveryOptions, EndpointLoop, EndpointRef } from './endpoint-loop.ts';
import { record } from './record.ts';
import { type ClaimedDelivery, claimDeliveries, nextDue, postponeDeliveries } from './statements.ts';
import { widthUnder } from './width.ts';

/** What a claim outlasts an attempt by, for recording it. */
const leaseMarginMs = 10_000;
/** How often a loop that waits for slow answers looks for what has become due. */
const lookAgainMs = 1_000;
/** When deliveries are tried again that cannot be signed here. */
const unsignableSeconds = 60;

/**
 * Delivers what is due for one endpoint until nothing is, then queues a job for when something will be.
 * Claims as attempts end, and records together what ended together.
 *
 * @throws what the database throws; attempts that are in flight are finished and recorded first.
 */
export async function drainEndpoint(
  options: DeliveryOptions,
  endpoint: EndpointRef,
  loop: EndpointLoop,
): Promise<void> {
  const ended: MadeAttempt[] = [];
  /** What was claimed and is not yet recorded. */
  const held = new Set<string>();
  let inFlight = 0;
  let scheduled = false;
  let fault: unknown;

  const send = (delivery: ClaimedDelivery, secrets: readonly string[]) => {
    inFlight += 1;
    options.load.inFlight += 1;
    held.add(delivery.id);
    makeAttempt(options, delivery, secrets).then((made) => {
      inFlight -= 1;
      options.load.inFlight -= 1;
      logAttempt(options.log, endpoint, delivery, made, options.retryDelaysSeconds.length + 1);
      ended.push(made);
      loop.waker.wake();
    });
  };

  for (;;) {
    loop.again = false;
    if (!loop.stopping && fault === undefined) {
      try {
        const room = widthUnder(options.load) - inFlight;
        const claimed = room > 0 ? await claim(options, endpoint, room, [...held]) : [];
        await sendAll(options, endpoint, claimed, send);
        if (claimed.length > 0) scheduled = false;
      } catch (error) {
        fault = error;
      }
    }
    if (inFlight === 0 && ended.length === 0) {
      if (fault !== undefined) throw fault;
      // Looked once more after the job was queued: nothing that came in between is forgotten.
      if (scheduled && !loop.again) return;
      await scheduleNext(options, endpoint);
      if (loop.stopping) return;
      scheduled = true;
      continue;
    }
    if (ended.length === 0) await pause(loop.waker, lookAgainMs);
    if (ended.length === 0) continue;
    const made = ended.splice(0);
    await record(options.database, endpoint, made, options);
    for (const { deliveryId } of made) held.delete(deliveryId);
  }
}

function claim(
  { database, timeoutMs, workerId }: DeliveryOptions,
  { locationId, endpointId }: EndpointRef,
  most: number,
  held: readonly string[],
): Promise<ClaimedDelivery[]> {
  const leaseMs = timeoutMs + leaseMarginMs;
  return database.run(claimDeliveries, [locationId, endpointId, most, leaseMs, workerId, held]);
}

async function sendAll(
  options: DeliveryOptions,
  { locationId, endpointId }: EndpointRef,
  claimed: readonly ClaimedDelivery[],
  send: (delivery: ClaimedDelivery, secrets: readonly string[]) => void,
): Promise<void> {
  const [first] = claimed;
  if (first === undefined) return;
  let secrets: string[];
  try {
    secrets = openSecrets(options, { locationId, endpointId }, first.secrets);
  } catch (error) {
    // A fault of ours (a wrong ENCRYPTION_KEY): it must not use up the consumer's attempts.
    options.log.error({ err: error, locationId, endpointId }, 'deliveries cannot be signed and wait');
    const ids = claimed.map(({ id }) => id);
    await options.database.run(postponeDeliveries, [locationId, ids, options.workerId, unsignableSeconds]);
    return;
  }
  for (const delivery of claimed) send(delivery, secrets);
}

async function scheduleNext({ database }: DeliveryOptions, endpoint: EndpointRef): Promise<void> {
  const { locationId, endpointId } = endpoint;
  const [next] = await database.run(nextDue, [locationId, endpointId]);
  if (next === undefined) return;
  await addJob(database, 'deliver-webhooks', endpoint, {
    runAt: next.runAt,
    jobKey: deliveryJobKey(endpointId),
  });
}
