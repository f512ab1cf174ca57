import { createByteBudget, readerBytes, streamBytes } from '@comanda/db';
import type { News } from './news.ts';

/**
 * Events held for the readers of this process: those that wait for them or are being sent. An event that several hold
 * counts once.
 */
export interface Held {
  /** Whether readers at the location may hold more. */
  hasRoom(locationId: string): boolean;
  /** Takes what a page of the feed may hold, until it is there; call the answer then. */
  reserve(locationId: string): () => void;
  hold(news: News): void;
  letGo(news: News): void;
}

/** Starts with nothing. */
export function createHeld(): Held {
  const bytes = createByteBudget(streamBytes);
  const held = new Map<News, { readers: number; giveBack(): void }>();
  return {
    hasRoom: (locationId) => bytes.room(locationId) > 0,
    reserve: (locationId) => bytes.take(locationId, readerBytes),
    hold(news) {
      const known = held.get(news);
      if (known !== undefined) known.readers += 1;
      else held.set(news, { readers: 1, giveBack: bytes.take(news.locationId, news.bytes) });
    },
    letGo(news) {
      const known = held.get(news);
      if (known === undefined) return;
      known.readers -= 1;
      if (known.readers > 0) return;
      held.delete(news);
      known.giveBack();
    },
  };
}
