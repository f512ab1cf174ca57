import { operator } from '@comanda/api/src/call/operator.ts';
import type { Options, Work } from './command.ts';
import { type Lines, table } from './rows.ts';
import { statedName } from './stated-name.ts';

/** The arguments that a command was called with. */
export interface Call {
  options: Options;
  positionals: string[];
  /** Whether the value is printed as JSON. */
  json: boolean;
  environment: NodeJS.ProcessEnv;
}

/** Does the work of a command, on the database unless it works alone; gives what is printed and whether it failed. */
export async function perform(work: Work, call: Call): Promise<{ lines: Lines; failed: boolean }> {
  const name = statedName(call.options, call.environment);
  const value = await (name === undefined
    ? resultOf(work, call)
    : operator.run(name, () => resultOf(work, call)));
  return {
    lines: call.json ? [JSON.stringify(value)] : (work.show ?? table)(value),
    failed: work.isFailure?.(value) === true,
  };
}

async function resultOf(work: Work, { options, positionals, environment }: Call): Promise<unknown> {
  if (work.runAlone !== undefined) return work.runAlone(environment, options, positionals);
  // Loaded where it is needed: the driver takes half of what remains of a start.
  const { onDatabase } = await import('./on-database.ts');
  return onDatabase(work, environment, options, positionals);
}
