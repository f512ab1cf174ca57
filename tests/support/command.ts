import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { main } from '../../extras/operator/src/program.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { capture } from './captured.ts';

/** How a command ended. */
export interface CommandOutcome {
  code: number;
  stdout: string;
  stderr: string;
}

type Settings = Readonly<Record<string, string>>;

const environmentOf = (settings: Settings) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  ...settings,
});

/** Runs `comanda …` in this process, with these settings and no others. */
export async function callComanda(settings: Settings, ...argv: string[]): Promise<CommandOutcome> {
  const output = { stdout: '', stderr: '' };
  const code = await capture(output, () => main(argv, environmentOf(settings)));
  return { code, ...output };
}

/** Runs `npm run -s comanda -- …` as a process of its own: for what shows in a process alone, as its end. */
export function runComanda(settings: Settings, ...argv: string[]): Promise<CommandOutcome> {
  const script = join(repositoryRoot, 'scripts', 'comanda.mjs');
  return promisify(execFile)(process.execPath, [script, ...argv], { env: environmentOf(settings) }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: CommandOutcome) => error,
  );
}
