import { isProgram, main as runCommand } from '@comanda/cli';
import { commands } from './commands.ts';

/** `comanda` with every command; the same exit codes as `main` of `@comanda/cli`. */
export const main = (argv: string[], environment = process.env): Promise<number> =>
  runCommand(argv, environment, commands);

// The entry of dist/comanda.js.
if (isProgram(import.meta.url)) process.exitCode = await main(process.argv.slice(2));
