import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Leaving, repositoryRoot, UnwantedError } from '@comanda/db';
import type { Logger } from 'pino';
import { movable } from '../bodies/pieces.ts';
import type { LargeBodies, LargeCall } from '../call/large.ts';
import { bounds, type SlotBounds } from '../capacity/bounds.ts';
import { createSlots, inSlot } from '../capacity/slots.ts';
import { unavailable } from '../errors.ts';
import type { Answered, FromThread, ThreadSettings, ToThread } from './messages.ts';
import { largeConnections, receivedRefusal } from './messages.ts';

/** How long the thread has to end by itself, in milliseconds. */
const patienceMs = 5_000;

/** Megabytes of objects that the thread may hold; beyond them it ends, and the process does not. */
const mostMegabytes = 1024;

// As many at a time as have a connection each. Of one location one: the next waits while others have their turn.
const slotBounds: SlotBounds = {
  ...bounds.slots,
  all: largeConnections,
  kind: { query: largeConnections, mutation: largeConnections },
  resource: largeConnections,
  resourceKind: largeConnections,
  locationKind: 1,
  compartment: { query: 1, mutation: 1 },
  // One may work for seconds: that nothing moves meanwhile is no fault.
  stuckMs: bounds.slots.waitMs,
};

/**
 * Performs calls with large bodies in a thread of their own: reading, validating and planning one takes up to a second,
 * during which an event loop serves no other call. The thread starts when one is asked for first, and again after it died.
 */
export function createLargeBodies(
  settings: ThreadSettings,
  log: Logger,
  maxOldGenerationSizeMb = mostMegabytes,
): LargeBodies {
  const slots = createSlots(slotBounds);
  let running: Running | undefined;
  let calls = 0;

  function start(): Running {
    const worker = new Worker(threadFile(), {
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb },
    });
    // The thread must not keep the process alive: the connections of callers do.
    worker.unref();
    const waiting = new Map<number, Waiting>();
    const started: Running = { worker, waiting, isReady: false };
    const lost = (error: unknown) => {
      if (running?.worker === worker) running = undefined;
      if (waiting.size > 0) log.error({ err: error }, 'the thread for large bodies ended');
      for (const { reject } of waiting.values())
        reject(
          unavailable('temporarily_unavailable', 'The service could not finish this; try again shortly.', {
            cause: error,
          }),
        );
      waiting.clear();
    };
    worker.on('message', (answer: FromThread) => {
      if ('ready' in answer) {
        started.isReady = true;
        return;
      }
      const found = waiting.get(answer.number);
      waiting.delete(answer.number);
      found?.resolve(answer);
    });
    worker.on('error', lost);
    worker.on('exit', (code) => lost(new Error(`the thread ended with code ${code}`)));
    return started;
  }

  async function ask(call: LargeCall, left: Leaving | undefined): Promise<Answered> {
    if (left?.isGone) throw new UnwantedError();
    running ??= start();
    const { worker, waiting } = running;
    calls += 1;
    const number = calls;
    const stopListening = left?.whenGone(() => worker.postMessage({ left: number } satisfies ToThread));
    try {
      return await new Promise((resolve, reject) => {
        waiting.set(number, { resolve, reject });
        const { body } = call.given;
        worker.postMessage({ number, call } satisfies ToThread, 'parts' in body ? movable(body) : []);
      });
    } finally {
      stopListening?.();
    }
  }

  return {
    isReady() {
      running ??= start();
      return running.isReady;
    },
    perform(call, left) {
      const slot = {
        locationId: call.caller.locationId,
        resource: 'large bodies',
        kind: 'mutation',
        left,
      } as const;
      return inSlot(slots, slot, async () => {
        const answered = await ask(call, left);
        const { headers } = answered;
        if ('refusal' in answered) return { headers, refusal: receivedRefusal(answered.refusal) };
        const { text, etag, replayed, isSecret } = answered;
        return {
          headers,
          answer: {
            text,
            isPruned: true,
            ...(etag && { etag }),
            ...(replayed && { replayed }),
            ...(isSecret && { isSecret }),
          },
        };
      });
    },
    async close() {
      slots.close();
      if (running === undefined) return;
      const { worker } = running;
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      worker.postMessage({ close: true } satisfies ToThread);
      const timer = setTimeout(() => void worker.terminate(), patienceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** The settings that the thread gets: plain data. */
export const threadSettings = (settings: ThreadSettings): ThreadSettings => ({
  databaseUrl: settings.databaseUrl,
  databaseDirectUrl: settings.databaseDirectUrl,
  encryptionKey: settings.encryptionKey,
  idempotencyTtlHours: settings.idempotencyTtlHours,
  webhookTargets: settings.webhookTargets,
  webhookAllowCidrs: settings.webhookAllowCidrs,
  logLevel: settings.logLevel,
  app: settings.app,
});

interface Running {
  worker: Worker;
  /** Calls without an answer yet, by their numbers. */
  waiting: Map<number, Waiting>;
  isReady: boolean;
}

interface Waiting {
  resolve(answer: Answered): void;
  reject(error: unknown): void;
}

/** Built: next to this bundle. For the sources, as tests run them: in dist/, where `npm test` builds it. */
function threadFile(): string {
  const files = [import.meta.dirname, join(repositoryRoot, 'dist')].map((folder) =>
    join(folder, 'large-bodies.js'),
  );
  const found = files.find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${files[1]} is missing: npm run build makes it`);
  return found;
}
