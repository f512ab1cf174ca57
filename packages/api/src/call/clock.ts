import type { z } from 'zod';
import { type FieldFault, invalid } from '../errors.ts';
import { beginningsIn, mostAheadMs } from '../moments.ts';
import type { RequestContext } from './context.ts';

/**
 * The input of a call whose caller's clock may be ahead of the server's: a moment to read from that has not come yet is
 * read as now, and the answer says so. Throws `validation_error` for one that no clock explains.
 */
export function readAheadAsNow<Read>(
  { headers }: Pick<RequestContext, 'headers'>,
  schema: z.ZodObject,
  input: Read,
  now = new Date(),
): Read {
  const given = input as Record<string, unknown>;
  const ahead = beginningsIn(schema).flatMap((name) => {
    const aheadMs = aheadOf(now, given[name]);
    return aheadMs > 0 ? [{ name, aheadMs }] : [];
  });
  if (ahead.length === 0) return input;
  const faults = ahead.flatMap((each) => (each.aheadMs > mostAheadMs ? [faultOf(each, now)] : []));
  if (faults.length > 0) throw invalid(faults);
  const corrected = ahead.map(({ name }) => `${name}=${now.toISOString()}`);
  // Calls of one request share its headers.
  const before = headers['X-Read-As-Now'];
  headers['X-Read-As-Now'] = [...(before === undefined ? [] : [before]), ...corrected].join(', ');
  const read = ahead.map(({ name }) => [name, given[name] instanceof Date ? now : now.toISOString()]);
  return { ...input, ...Object.fromEntries(read) };
}

function aheadOf(now: Date, moment: unknown): number {
  if (moment instanceof Date) return moment.getTime() - now.getTime();
  return typeof moment === 'string' ? Date.parse(moment) - now.getTime() : 0;
}

const faultOf = ({ name, aheadMs }: { name: string; aheadMs: number }, now: Date): FieldFault => ({
  path: name,
  message: `is ${durationOf(aheadMs)} ahead of our clock, which says ${now.toISOString()}: it may be at most 5 minutes ahead`,
  reason: 'clock_ahead',
});

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** The two largest units of it that are not nothing: `2 hours 40 minutes`. */
function durationOf(ms: number): string {
  let left = ms;
  const parts = units.flatMap(([name, length]) => {
    const count = Math.floor(left / length);
    left -= count * length;
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? '' : 's'}`];
  });
  return parts.slice(0, 2).join(' ');
}
