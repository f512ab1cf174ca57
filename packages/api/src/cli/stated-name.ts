import { z } from 'zod';
import type { Options } from './command.ts';
import { parse } from './input.ts';

/** What a person calls themselves, as in `npm run studio -- --as`. */
const PersonName = z
  .string()
  .regex(/^[\w .@-]{1,40}$/, '--as: must be a name of 1 to 40 letters, digits, spaces and . @ - _');

/**
 * Who works at the command line: `--as`, else who came by sudo, else the user of the machine. Nobody where neither is a name.
 * Throws `validation_error` for an `--as` that is none.
 */
export function statedName({ as }: Options, { SUDO_USER, USER }: NodeJS.ProcessEnv): string | undefined {
  if (as !== undefined) return parse(PersonName, as);
  return [SUDO_USER, USER].find((name) => PersonName.safeParse(name).success);
}
