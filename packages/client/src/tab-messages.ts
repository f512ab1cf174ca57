import type { EventType } from './events.ts';
import type { PublishedEvent } from './surface.ts';
import type { WatchState } from './watch.ts';

/** The types of events that a stream brings; undefined: all that its key sees. */
export type Types = readonly EventType[] | undefined;

/**
 * The state of the stream, and its position: `cursor` is the last published event, of `types` none is missing up to
 * it.
 */
export interface StateMessage {
  kind: 'state';
  state: WatchState;
  cursor: string | undefined;
  types: Types;
}

/** The messages of the tab that holds the stream to all tabs, itself among them. */
export type TabMessage =
  | StateMessage
  /** The next event of these types, and the one before it. */
  | { kind: 'event'; behind: string | undefined; event: PublishedEvent; types: Types };

/** The message of a tab to the one that holds the stream: that it is there, and the types that it wants. */
export interface Hello {
  kind: 'hello';
  types: Types;
}

/** Whether a stream of these types brings all of the others. */
export const covers = (types: Types, others: Types): boolean =>
  types === undefined || (others?.every((type) => types.includes(type)) ?? false);
