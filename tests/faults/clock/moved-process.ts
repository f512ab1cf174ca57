/** Environment under which one of our processes has a clock that is wrong by so many seconds. */
export function movedClock(seconds: number): Record<string, string> {
  const preload = new URL('moved-clock.mjs', import.meta.url).href;
  return { NODE_OPTIONS: `--import=${preload}`, MOVED_CLOCK_SECONDS: String(seconds) };
}
