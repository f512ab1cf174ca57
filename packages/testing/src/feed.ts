import { randomUUID } from 'node:crypto';
import type { ComandaEventOf, EventType } from '@comanda/client';
import type { FakeEvents } from './stub.ts';
import { type TestEvent, wholeEvent } from './test-event.ts';

/** The events of a fake, and how they are made. */
export interface Feed extends FakeEvents {
  emit<Type extends EventType>(event: TestEvent<Type>): ComandaEventOf<Type>;
}

/** Makes one; nothing is published. All of its events are of one location. */
export function createFeed(): Feed {
  const published: FakeEvents['published'][number][] = [];
  const listeners = new Set<() => void>();
  const locationId = randomUUID();
  return {
    published,
    onPublished(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit(event) {
      const whole = structuredClone(wholeEvent({ location_id: locationId, ...event }, new Date()));
      published.push(whole);
      for (const listener of listeners) listener();
      return structuredClone(whole);
    },
  };
}
