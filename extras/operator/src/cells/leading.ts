import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CommandError } from '@comanda/api/src/command-error.ts';
import { log } from '@comanda/cli/locations';
import { replaceFile } from './command.ts';

/** A reload that takes longer is ended, and counts as failed. */
const reloadMs = 120_000;

/** Writes the map and makes proxies load it, where the command for that is given. Throws CommandError. */
export async function load(path: string | undefined, map: string, reload: string | undefined): Promise<void> {
  if (path !== undefined) {
    await replaceFile(path, map);
    log(`map: wrote ${path}`);
  }
  if (reload === undefined) return;
  log(`map: ${reload}`);
  await promisify(execFile)('/bin/sh', ['-c', reload], { timeout: reloadMs }).catch(
    (error: { stderr?: string; message: string }) => {
      throw new CommandError(
        'conflict',
        `the reload failed: ${error.stderr?.trim() || error.message}. Repair it and run the same command again, or take the move back by --abort with a reload that works`,
      );
    },
  );
}
