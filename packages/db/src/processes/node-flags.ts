/**
 * Flags of Node for one of our processes, by the name of its bundle. The worker keeps little of what it makes: a small
 * space for the young, and a heap that is collected when it has grown by half (docs/bench/locations.md). `gc` gives
 * back what large events took (docs/design/webhooks.md, "Memory of a worker").
 */
export function nodeFlags(name: string): string[] {
  return name === 'worker' ? ['--max-semi-space-size=4', '--heap-growing-percent=50', '--expose-gc'] : [];
}
