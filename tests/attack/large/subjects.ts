import { randomUUID } from 'node:crypto';
import type { Operation } from '../../../packages/api/src/call/operations.ts';
import { inputIn, type Kitchen, openKitchen } from '../../contract/kitchen.ts';
import type { WireRequest } from '../../fuzz/send.ts';
import { createKey, createLocation } from '../../support/factories.ts';
import type { WatchedApi } from '../../support/watched-api.ts';
import { filled } from './places.ts';
import type { Target } from './targets.ts';
import type { Trial } from './trials.ts';

/** A kitchen, and a valid input of the operation in it. */
export interface Subject {
  kitchen: Kitchen;
  value: Record<string, unknown>;
}

/** Opens kitchens that take turns, so that bounds on the bytes of one location are not met at once; their keys have no limits. */
export function openSubjects(api: WatchedApi, operation: Operation, count = 4): Promise<Subject[]> {
  const limits = { perMinute: 1_000_000, monthly: 100_000_000, batchJobsPerHour: 1_000_000 };
  return Promise.all(
    Array.from({ length: count }, async () => {
      const locationId = await createLocation(api.app.database, { sandbox: true });
      const { key } = await createKey(api.app.database, { locationId, ...limits });
      const kitchen = await openKitchen(api, { at: { locationId, key } });
      return { kitchen, value: await inputIn(kitchen, operation) };
    }),
  );
}

/** The request of a trial in a kitchen; undefined where its filler has nothing to make its text of. */
export function requestOf(
  { target, place, filler, bytes, strict }: Trial,
  subject: Subject,
): WireRequest | undefined {
  const idempotencyKey = randomUUID();
  const value = { ...subject.value, ...('idempotencyKey' in subject.value && { idempotencyKey }) };
  const body = filled(inBody(target, value), place, filler, bytes - roomFor(target));
  if (body === undefined) return undefined;
  const request = target.request({ key: subject.kitchen.key, value, idempotencyKey }, body);
  return strict ? { ...request, headers: [...request.headers, ['Prefer', 'handling=strict']] } : request;
}

// The other inputs of a batch count toward the size of the body.
const roomFor = ({ name }: Target): number => (name.endsWith('times') ? 16 * 1024 : 0);

const inBody = ({ outside }: Target, value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !outside.has(name)));
