import type { Script } from './check.ts';
import { Unmet } from './endings.ts';
import type { Entry, Seen, Step, Wait } from './log.ts';
import type { Call } from './statements.ts';

/** Does a step, and returns its entry. */
export function* take<Wanted extends Step>(step: Wanted): Script<Entry<Wanted['name']>> {
  return (yield step) as Entry<Wanted['name']>;
}

/** Waits until `look` finds something in what was seen; undefined when it did not come. */
export function* waitFor<Found>({
  look,
  ...wait
}: Wait & { look(seen: Seen): Found | undefined }): Script<Found | undefined> {
  return look(yield* take({ name: 'wait', ...wait, isOver: (seen) => look(seen) !== undefined }));
}

/** The calls of so many seconds, and those before that came behind call `since`. */
export function* listen(seconds: number, text: string, since?: number): Script<Call[]> {
  const wait = { action: 'none', text, seconds, ...(since !== undefined && { since }) } as const;
  return (yield* take({ name: 'wait', ...wait })).calls;
}

/**
 * No call that `isEffect` takes for an effect may come within so many seconds of the step behind call `since`. A
 * call that comes in the same time without any cause as well is a habit of the program, and no effect. Throws `Unmet`
 * with `fault` for an effect.
 */
export function* staysQuiet(
  run: { saw(call: Call): void },
  wait: { seconds: number; text: string; since: number },
  isEffect: (call: Call) => boolean,
  fault: string,
): Script {
  const found = (yield* listen(wait.seconds, wait.text, wait.since)).filter(isEffect);
  if (found.length === 0) return;
  const control = yield* listen(wait.seconds, 'Nothing: to see what your program calls by itself.');
  const habits = new Set(control.map(habitOf));
  const effect = found.find((call) => !habits.has(habitOf(call)));
  if (effect === undefined) return;
  run.saw(effect);
  throw new Unmet(fault);
}

/** The called address, without ids of a page: it identifies the polls of a program. */
const habitOf = ({ operation, request }: Call): string => `${operation} ${request.split('?')[0]}`;
