const ways = new Set<() => Promise<unknown>>();

/** Ends something when the tests of the file have ended, also after a failure; the returned function calls that off. */
export function endAfterTests(end: () => Promise<unknown>): () => void {
  ways.add(end);
  return () => ways.delete(end);
}

/** Ends what is left. Throws what one of them throws. */
export async function endLeftOver(): Promise<void> {
  const left = [...ways];
  ways.clear();
  await Promise.all(left.map((end) => end()));
}
