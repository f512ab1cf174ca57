/**
 * Positions for what is named, rising in the order sent. Entries that are in that order already keep their
 * position; new ones at the end come after everything that stays.
 */
export function positions(
  named: readonly { external_id: string }[],
  siblings: readonly { external_id: string | null; position: number }[],
  replaces: boolean,
): number[] {
  const names = new Set(named.map(({ external_id }) => external_id));
  const places = new Map(siblings.map(({ external_id, position }) => [external_id, position]));
  const highest = siblings
    .filter(({ external_id }) => !replaces || external_id === null || names.has(external_id))
    .reduce((most, { position }) => Math.max(most, position), -1);
  const lastKnown = named.findLastIndex(({ external_id }) => places.has(external_id));
  let previous = -1;
  return named.map(({ external_id }, index) => {
    const place = places.get(external_id);
    if (place !== undefined && place > previous) previous = place;
    else previous = index > lastKnown ? Math.max(previous, highest) + 1 : previous + 1;
    return previous;
  });
}
