import { addJob, createWaker, deliveryJobKey } from '@comanda/db';
import { giveBack, leaseMsOf } from './claim.ts';
import { deliverDue } from './deliver-due.ts';
import type { DeliveryOptions, EndpointLoop } from './endpoint-loop.ts';
import type { EndpointRef } from './endpoint-ref.ts';
import { type FirstAttempts, type HandedDeliveries, readyOf } from './first-attempts.ts';
import { Lane } from './lane.ts';
import { widthUnder } from './limits.ts';
import { openSecrets } from './open-secrets.ts';
import type { ReadyDelivery } from './ready-delivery.ts';
import { UnsignableError } from './signing.ts';
import { releaseClaims } from './statements.ts';
import { freshMs } from './way.ts';

/** The endpoints that this process is delivering to. */
export interface Deliveries {
  /**
   * Ensures that due deliveries of the endpoint are delivered, and returns at once. An endpoint has one loop
   * of its own here, so that a slow one delays no other.
   */
  attend(endpoint: EndpointRef): void;
  /** First attempts that come without a job. */
  readonly firstAttempts: FirstAttempts;
  /** Settles when no delivery is under way. */
  idle(): Promise<void>;
  /** Claims no more, waits for what is in flight up to `graceMs`, and gives the rest back. */
  stop(graceMs: number): Promise<void>;
}

/** An endpoint that is being delivered to. */
interface Running {
  loop: EndpointLoop;
  lane: Lane;
}

/** Makes the registry; it starts empty. */
export function createDeliveries(options: DeliveryOptions): Deliveries {
  const { bytes, clock, database, load, log, signing, silence, workerId } = options;
  const loops = new Map<string, Running>();
  const running = new Set<Promise<void>>();
  let stopping = false;

  const track = (work: Promise<void>): Promise<void> => {
    const tracked = work.finally(() => running.delete(tracked));
    running.add(tracked);
    return tracked;
  };

  const run = (endpoint: EndpointRef, handed: ReadyDelivery[]): Promise<void> => {
    const loop: EndpointLoop = { waker: createWaker(), handed, again: false, stopping };
    const lane = new Lane(options, endpoint, loop);
    loops.set(endpoint.endpointId, { loop, lane });
    const delivering = deliverDue(options, endpoint, loop, lane)
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
      .then(async (again) => {
        loops.delete(endpoint.endpointId);
        if (loop.handed.length > 0) await run(endpoint, loop.handed);
        else if (again) attend(endpoint);
      });
    return track(delivering);
  };

  const attend = (endpoint: EndpointRef): void => {
    const known = loops.get(endpoint.endpointId);
    if (known !== undefined) {
      known.loop.again = true;
      known.loop.waker.wake();
      return;
    }
    if (stopping) return;
    if (signing.isLeft(endpoint.endpointId)) {
      // A job that was taken just before: the sweeper queues it again if this fails.
      addJob(database, 'deliver-webhooks', endpoint, { jobKey: deliveryJobKey(endpoint.endpointId) }).catch(
        () => {},
      );
      return;
    }
    void run(endpoint, []);
  };

  /** An internal fault (a wrong ENCRYPTION_KEY): it must not use up the consumer's attempts. */
  const leave = async (endpoint: EndpointRef, ids: readonly string[], error: UnsignableError) => {
    await giveBack(options, endpoint, ids);
    await signing.leave(endpoint, error);
  };

  const firstAttempts: FirstAttempts = {
    workerId,
    leaseMs: leaseMsOf(options.timeoutMs),
    sendBy: () => clock.now() + freshMs,
    mayClaim: () => !stopping && options.isHeard(),
    hasRoom(endpointId, count, size) {
      if (signing.isLeft(endpointId) || bytes.room(endpointId) < size) return false;
      const width = silence.isSilent(endpointId) ? 1 : widthUnder(load);
      return count <= (loops.get(endpointId)?.lane.roomForMore() ?? width);
    },
    async hand(given: HandedDeliveries) {
      const { locationId, endpointId } = given;
      const endpoint = { locationId, endpointId };
      let ready: ReadyDelivery[];
      try {
        ready = readyOf(given, openSecrets(options, endpoint, given.secrets));
        signing.opened(endpointId);
      } catch (error) {
        if (!(error instanceof UnsignableError)) throw error;
        const ids = given.deliveries.map(({ delivery }) => delivery.id);
        track(leave(endpoint, ids, error)).catch(() => {});
        return;
      }
      const known = loops.get(endpointId);
      if (known === undefined) {
        const delivering = run(endpoint, ready);
        if (stopping) await delivering;
        return;
      }
      known.loop.handed.push(...ready);
      known.loop.waker.wake();
    },
  };

  return {
    attend,
    firstAttempts,
    idle: () => allEnded(running),
    async stop(graceMs) {
      stopping = true;
      for (const { loop } of loops.values()) {
        loop.stopping = true;
        loop.waker.wake();
      }
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<'late'>((resolve) => {
        timer = clock.setTimeout(() => resolve('late'), graceMs);
      });
      const outcome = await Promise.race([allEnded(running), limit]);
      clock.clearTimeout(timer);
      if (outcome !== 'late') return;
      log.warn({ endpoints: loops.size }, 'deliveries in flight are handed over unfinished');
      await database.run(releaseClaims, [workerId]).catch(() => {});
    },
  };
}

// Deliveries that are handed over meanwhile are given back in a loop of their own.
async function allEnded(running: ReadonlySet<Promise<void>>): Promise<void> {
  while (running.size > 0) await Promise.allSettled(running);
}
