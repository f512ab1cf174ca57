/** The most days that the service looks for a text in. */
const mostDays = 31;

const dayMs = 86_400_000;

/**
 * The days that a text is looked for in: those that are given, the last 31 where none is, and of one that is given the 31 that begin
 * or end with it. All days are `2026-01-31`.
 */
export function daysOfSearch(
  { from, to }: { from: string; to: string },
  today: string,
): { from: string; to: string } {
  const first = from === '' ? moved(to === '' ? today : to, 1 - mostDays) : from;
  return { from: first, to: to === '' ? moved(first, mostDays - 1) : to };
}

const moved = (day: string, by: number): string =>
  new Date(Date.parse(day) + by * dayMs).toISOString().slice(0, 10);
