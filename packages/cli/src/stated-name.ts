import { CommandError } from '@comanda/api/src/command-error.ts';
import type { Options } from './command.ts';

/**
 * The name that a person gives, as in `npm run studio -- --as`. No schema: each command asks this, those that need
 * none as well.
 */
const personName = /^[\w .@-]{1,40}$/;

/**
 * The user at the command line: `--as`, else the user of sudo, else the user of the machine. Undefined where none is
 * a name. Throws `validation_error` for an `--as` that is none.
 */
export function statedName({ as }: Options, { SUDO_USER, USER }: NodeJS.ProcessEnv): string | undefined {
  if (as !== undefined && !personName.test(as))
    throw new CommandError(
      'validation_error',
      '--as: must be a name of 1 to 40 letters, digits, spaces and . @ - _',
    );
  return as ?? [SUDO_USER, USER].find((name) => name !== undefined && personName.test(name));
}
