import { addJob, again, deliveryJobKey, repeat } from '@comanda/db';
import type { DeliveryOptions, EndpointLoop } from './endpoint-loop.ts';
import type { EndpointRef } from './endpoint-ref.ts';
import type { Lane } from './lane.ts';
import { nextDue } from './statements.ts';

/**
 * Delivers what it was handed and what is due for one endpoint until nothing is, then queues a job for when something will be.
 *
 * @throws what the database throws; attempts that are in flight are finished and recorded first.
 */
export async function deliverDue(
  options: DeliveryOptions,
  endpoint: EndpointRef,
  loop: EndpointLoop,
  lane: Lane,
): Promise<void> {
  try {
    await repeat(keepUp(options, endpoint, loop, lane), { waker: loop.waker, clock: options.clock });
  } finally {
    lane.leave();
  }
}

/** One round of it; over when nothing is due. */
function keepUp(options: DeliveryOptions, endpoint: EndpointRef, loop: EndpointLoop, lane: Lane) {
  let scheduled = false;
  return async () => {
    const waitMs = lane.step();
    if (!lane.isIdle()) return again(Math.max(1, waitMs));
    if (lane.fault !== undefined) throw lane.fault.error;
    if (lane.wasBusy()) scheduled = false;
    // A first attempt that arrived had no job and needs none.
    if (lane.owesNothing() && !loop.again) return undefined;
    // Looked once more after the job was queued: nothing that came in between is forgotten.
    if (scheduled && !loop.again) return undefined;
    const waiting = await scheduleNext(options, endpoint);
    // Where nothing waits, no job was replaced: what comes from now on brings its own.
    if (loop.stopping || (!waiting && !loop.again)) return undefined;
    scheduled = true;
    lane.lookAnew();
    return again(0);
  };
}

/** Returns whether any delivery waits. */
async function scheduleNext({ database }: DeliveryOptions, endpoint: EndpointRef): Promise<boolean> {
  const { locationId, endpointId } = endpoint;
  const [next] = await database.run(nextDue, [locationId, endpointId]);
  if (next === undefined) return false;
  await addJob(database, 'deliver-webhooks', endpoint, {
    runAt: next.runAt,
    jobKey: deliveryJobKey(endpointId),
  });
  return true;
}
