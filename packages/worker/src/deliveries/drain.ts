import { addJob, deliveryJobKey } from '@comanda/db';
import { pause } from '../waker.ts';
import type { DeliveryOptions, EndpointLoop, EndpointRef } from './endpoint-loop.ts';
import { createLane, type Lane } from './lane.ts';
import { nextDue } from './statements.ts';

/**
 * Delivers what is due for one endpoint until nothing is, then queues a job for when something will be.
 *
 * @throws what the database throws; attempts that are in flight are finished and recorded first.
 */
export async function drainEndpoint(
  options: DeliveryOptions,
  endpoint: EndpointRef,
  loop: EndpointLoop,
): Promise<void> {
  const lane = createLane(options, endpoint, loop);
  try {
    await keepUp(options, endpoint, loop, lane);
  } finally {
    lane.leave();
  }
}

async function keepUp(
  options: DeliveryOptions,
  endpoint: EndpointRef,
  loop: EndpointLoop,
  lane: Lane,
): Promise<void> {
  let scheduled = false;
  for (;;) {
    const waitMs = lane.step();
    if (!lane.isIdle()) {
      await pause(loop.waker, Math.max(1, waitMs));
      continue;
    }
    if (lane.fault !== undefined) throw lane.fault.error;
    if (lane.wasBusy()) scheduled = false;
    // Looked once more after the job was queued: nothing that came in between is forgotten.
    if (scheduled && !loop.again) return;
    await scheduleNext(options, endpoint);
    if (loop.stopping) return;
    scheduled = true;
    lane.lookAnew();
  }
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
