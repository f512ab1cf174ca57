import leven from 'leven';

/** No known name has more characters than this. The distance of a long text takes long. */
const longest = 64;

/** The name among the known that was most likely meant: at most two letters away, and no more than a third of its own. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > longest) return undefined;
  const [best] = known
    .map((candidate) => ({ candidate, distance: leven(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.min(2, candidate.length / 3)))
    .sort((one, other) => one.distance - other.distance);
  return best?.candidate;
}
