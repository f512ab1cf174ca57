import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../packages/db/src/root.ts';

/** How a command ended. */
export interface CommandOutcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `npm run -s comanda -- …` as a process of its own, with these settings and no others. */
export function runComanda(
  settings: Readonly<Record<string, string>>,
  ...argv: string[]
): Promise<CommandOutcome> {
  const script = join(repositoryRoot, 'scripts', 'comanda.mjs');
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...settings };
  return promisify(execFile)(process.execPath, [script, ...argv], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: CommandOutcome) => error,
  );
}
