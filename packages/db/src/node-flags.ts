/**
 * Flags of Node for a process of ours, by the name of its bundle. The worker keeps little of what it makes: a small space
 * for the young held it at 109 MiB instead of 154 in the short form of `npm run bench -- locations`.
 */
export function nodeFlags(name: string): string[] {
  return name === 'worker' ? ['--max-semi-space-size=4'] : [];
}
