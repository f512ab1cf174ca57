import { addJob, createWaker, deliveryJobKey } from '@comanda/db';
import { deliverDue } from './deliver-due.ts';
import type { DeliveryOptions, EndpointLoop, EndpointRef } from './endpoint-loop.ts';
import { UnsignableError } from './signing.ts';
import { releaseClaims } from './statements.ts';

/** The endpoints that this process is delivering to. */
export interface Deliveries {
  /**
   * Sees that what is due for the endpoint is delivered, and returns at once. An endpoint has one loop of its
   * own here, so that a slow one holds up nobody else.
   */
  attend(endpoint: EndpointRef): void;
  /** Claims no more, waits for what is in flight up to `graceMs`, and gives the rest back. */
  stop(graceMs: number): Promise<void>;
}

/** Makes the registry; it starts empty. */
export function createDeliveries(options: DeliveryOptions): Deliveries {
  const { database, log, workerId, signing } = options;
  const loops = new Map<string, EndpointLoop>();
  const running = new Set<Promise<void>>();
  let stopping = false;

  const attend = (endpoint: EndpointRef): void => {
    const known = loops.get(endpoint.endpointId);
    if (known !== undefined) {
      known.again = true;
      known.waker.wake();
      return;
    }
    if (stopping) return;
    if (signing.isLeft(endpoint.endpointId)) {
      // A job that was taken just before: the sweeper queues it anew if this fails.
      addJob(database, 'deliver-webhooks', endpoint, { jobKey: deliveryJobKey(endpoint.endpointId) }).catch(
        () => {},
      );
      return;
    }
    const loop: EndpointLoop = { waker: createWaker(), again: false, stopping: false };
    loops.set(endpoint.endpointId, loop);
    const delivering = deliverDue(options, endpoint, loop)
      .then(() => loop.again)
      .catch(async (error: unknown) => {
        if (error instanceof UnsignableError) {
          await signing.leave(endpoint, error).catch(() => {});
          return false;
        }
        // The rows are the truth: the sweeper comes back to what is left.
        log.warn({ err: error, ...endpoint }, 'delivering to an endpoint was interrupted');
        return false;
      })
      .then((again) => {
        running.delete(delivering);
        loops.delete(endpoint.endpointId);
        if (again) attend(endpoint);
      });
    running.add(delivering);
  };

  return {
    attend,
    async stop(graceMs) {
      stopping = true;
      for (const loop of loops.values()) {
        loop.stopping = true;
        loop.waker.wake();
      }
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<'late'>((resolve) => {
        timer = setTimeout(() => resolve('late'), graceMs);
      });
      const outcome = await Promise.race([Promise.all(running), limit]);
      clearTimeout(timer);
      if (outcome !== 'late') return;
      log.warn({ endpoints: loops.size }, 'deliveries in flight are handed over unfinished');
      await database.run(releaseClaims, [workerId]).catch(() => {});
    },
  };
}
