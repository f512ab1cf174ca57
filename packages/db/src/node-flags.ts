/**
 * Flags of Node for a process of ours, by the name of its bundle. The worker keeps little of what it makes: a small space
 * for the young holds its memory down by a quarter, at no cost that was seen (`npm run bench -- locations`).
 */
export function nodeFlags(name: string): string[] {
  return name === 'worker' ? ['--max-semi-space-size=4'] : [];
}
