import type { PlacedStream } from '../call/subscription.ts';
import { beforeAll, type EventList, type EventWatch } from '../resources/events/schema.ts';
import { unknownCursor } from '../resources/events/service.ts';
import type { StubEvent, StubEvents } from './answers.ts';

/** A page of the published events, as `events.list` answers it. Throws `unknown_cursor`. */
export function stubPage({ published }: StubEvents, { after, since, types, limit }: EventList): unknown {
  if (after === 'latest') {
    const next = published.at(-1)?.id ?? beforeAll;
    return { data: [], pagination: { limit, offset: 0, total: 0, next } };
  }
  const left = published
    .slice(after === undefined ? 0 : placeBehind(published, after))
    .filter(isWanted(types))
    .filter(({ created_at }) => since === undefined || Date.parse(created_at) >= Date.parse(since));
  return { data: left.slice(0, limit), pagination: { limit, offset: 0, total: left.length } };
}

/** A stream of the events that are published, as `events.watch` opens it. Throws `unknown_cursor`. */
export function stubStream(events: StubEvents, { after, lastEventId, types }: EventWatch): PlacedStream {
  const from = lastEventId ?? after ?? 'latest';
  const isNew = from === 'latest';
  let place = isNew ? events.published.length : placeBehind(events.published, from);
  const behind = isNew ? (events.published.at(-1)?.id ?? beforeAll) : from;
  let isOver = false;
  let wake = () => {};
  const forget = events.onPublished(() => wake());
  const take = () => {
    const news = events.published.slice(place).filter(isWanted(types));
    place = events.published.length;
    return news.map((event) => ({ ...newsOf(event), body: JSON.stringify(event) }));
  };
  return {
    behind,
    async next() {
      const news = take();
      if (news.length > 0) return news;
      if (!isOver) await somethingNew((woken) => (wake = woken));
      return isOver ? undefined : take();
    },
    close() {
      isOver = true;
      forget();
      wake();
    },
  };
}

const newsOf = ({ id, type }: StubEvent) => ({ locationId: '', number: 0, id, type, bytes: 0 });

const isWanted =
  (types: readonly string[] | undefined) =>
  ({ type }: StubEvent): boolean =>
    types === undefined || types.includes(type);

function placeBehind(published: readonly StubEvent[], id: string): number {
  if (id === beforeAll) return 0;
  const place = published.findIndex((event) => event.id === id);
  if (place === -1) throw unknownCursor();
  return place + 1;
}

/** Until something happens, or the service would say that it lives. */
const quietMs = 15_000;

function somethingNew(waiting: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, quietMs);
    waiting(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
