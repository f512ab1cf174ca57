import { z } from 'zod';
import { invalid } from '../../errors.ts';

/** A place in a list by the moment of the last change: after everything up to this moment and, of it, this id. */
export interface Position {
  /** Unix time in milliseconds. */
  moment: number;
  id: string;
}

/** A new walk from a moment on. */
export interface Beginning {
  from: number;
  /** The database's epoch when the cursor was made; undefined for what the caller said. */
  epoch: string | undefined;
}

/** One reading of what has changed, from its first page to its end. */
export interface Walk {
  /** The database's epoch when it began. */
  epoch: string;
  after: Position;
  /** The moment it reads up to: it has an end, however much is changed meanwhile. */
  until: number;
  /** An entry with an earlier moment was visible when the walk began: the next one begins here. */
  horizon: number;
  /** How many entries there were to read when it began. */
  total: number;
  /** The moment that it began at, of a list whose statements read it. */
  began?: number;
}

/** The continuation of a cursor: on through a walk, or to a new one from a moment on. */
export type Cursor = Beginning | Walk;

/** The first moment that a cursor can hold. */
export const firstMoment = Date.parse('0001-01-01T00:00:00Z');
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');

const Moment = z.int().min(firstMoment).max(lastMoment);
const e = z.string().regex(/^[0-9a-f]{8}$/);
const Content = z.union([
  z.strictObject({ e, s: Moment }),
  z.strictObject({
    e,
    m: Moment,
    i: z.guid(),
    u: Moment,
    h: Moment,
    n: z.int().min(0).max(2_147_483_647),
    f: Moment.optional(),
  }),
]);

/** A cursor as text; opaque to callers. */
export function writeCursor(cursor: (Beginning & { epoch: string }) | Walk): string {
  const content: z.infer<typeof Content> =
    'from' in cursor
      ? { e: cursor.epoch, s: cursor.from }
      : {
          e: cursor.epoch,
          m: cursor.after.moment,
          i: cursor.after.id,
          u: cursor.until,
          h: cursor.horizon,
          n: cursor.total,
          ...(cursor.began !== undefined && { f: cursor.began }),
        };
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Reads the text of a cursor. Throws `validation_error` for one that is none. */
export function readCursor(text: string): Cursor {
  const { data } = Content.safeParse(parsed(Buffer.from(text, 'base64url').toString()));
  if (data === undefined)
    throw invalid({ path: 'cursor', message: 'is no cursor of this list', reason: 'unknown_cursor' });
  if ('s' in data) return { from: data.s, epoch: data.e };
  const { e, m, i, u, h, n, f } = data;
  return {
    epoch: e,
    after: { moment: m, id: i },
    until: u,
    horizon: h,
    total: n,
    ...(f !== undefined && { began: f }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
