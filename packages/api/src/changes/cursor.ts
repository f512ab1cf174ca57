import { z } from 'zod';
import { invalid } from '../errors.ts';

/** A place in a list by the moment of the last change: after everything up to this moment and, of it, this id. */
export interface Place {
  /** Unix time in milliseconds. */
  moment: number;
  id: string;
}

/** One reading of what has changed, from its first page to its end. */
export interface Walk {
  after: Place;
  /** The moment it reads up to: it has an end, however much is changed meanwhile. */
  until: number;
  /** What has a moment before this was there to be seen when the walk began: the next one begins here. */
  horizon: number;
  /** How many entries there were to read when it began. */
  total: number;
}

/** What a cursor leads to: on through a walk, or to a new one from a moment on. */
export type Cursor = { from: number } | Walk;

/** The first and the last moment that a cursor can hold. */
export const firstMoment = Date.parse('0001-01-01T00:00:00Z');
export const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');

const Moment = z.int().min(firstMoment).max(lastMoment);
const Content = z.union([
  z.strictObject({ s: Moment }),
  z.strictObject({ m: Moment, i: z.guid(), u: Moment, h: Moment, n: z.int().min(0).max(2_147_483_647) }),
]);

/** A cursor as text; opaque to callers. */
export function writeCursor(cursor: Cursor): string {
  const content: z.infer<typeof Content> =
    'from' in cursor
      ? { s: cursor.from }
      : {
          m: cursor.after.moment,
          i: cursor.after.id,
          u: cursor.until,
          h: cursor.horizon,
          n: cursor.total,
        };
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Reads the text of a cursor. Throws `validation_error` for one that is none. */
export function readCursor(text: string): Cursor {
  const { data } = Content.safeParse(parsed(Buffer.from(text, 'base64url').toString()));
  if (data === undefined) throw invalid({ path: 'cursor', message: 'is no cursor of this list' });
  if ('s' in data) return { from: data.s };
  const { m, i, u, h, n } = data;
  return { after: { moment: m, id: i }, until: u, horizon: h, total: n };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
