/** `2026-01-31T21:05`: a moment as the clocks of a time zone show it, in the form that fields of browsers have. */
export const clockAt = (moment: string | number, timeZone: string): string =>
  new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' })
    .format(new Date(moment))
    .replace(' ', 'T');

/** The moment at which the clocks of a time zone show that. */
export function momentAt(clock: string, timeZone: string): string {
  const wanted = Date.parse(`${clock}Z`);
  let moment = wanted;
  // Twice: the first guess may lie on the other side of a change of the clocks.
  for (let tries = 0; tries < 2; tries += 1) moment += wanted - Date.parse(`${clockAt(moment, timeZone)}Z`);
  return new Date(moment).toISOString();
}
