import type { EventType } from './events.ts';
import type { PublishedEvent } from './surface.ts';
import type { WatchState } from './watch.ts';

/** The types of events that a stream brings; undefined: all that its key sees. */
export type Types = readonly EventType[] | undefined;

/** How the stream stands, and where: `cursor` is the last event that was told, of `types` none is missing up to it. */
export interface ToldState {
  kind: 'state';
  state: WatchState;
  cursor: string | undefined;
  types: Types;
}

/** What the tab that holds the stream tells all tabs, itself among them. */
export type Told =
  | ToldState
  /** The next event of these types, and the one before it. */
  | { kind: 'event'; behind: string | undefined; event: PublishedEvent; types: Types };

/** What a tab says to whichever holds the stream: that it is there, and the types that it wants. */
export interface Hello {
  kind: 'hello';
  types: Types;
}

/** Whether a stream of these types brings all of the others. */
export const covers = (types: Types, others: Types): boolean =>
  types === undefined || (others?.every((type) => types.includes(type)) ?? false);
