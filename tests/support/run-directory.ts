import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The temporary folder of one test run: the server's data, and in `processes/` one empty file named after the
 * id of every process that runs, so that none can be forgotten after any failure.
 */
export function createRunDirectory(): string {
  const directory = process.env.COMANDA_TEST_DIRECTORY ?? mkdtempSync(join(tmpdir(), 'comanda-tests-'));
  mkdirSync(join(directory, 'processes'), { recursive: true });
  // The database server of a root run is another user and must be able to pass.
  chmodSync(directory, 0o711);
  return directory;
}

/** Notes a process that runs; the answer takes the note back. */
export function noteProcess(directory: string, pid: number): () => void {
  const file = join(directory, 'processes', String(pid));
  writeFileSync(file, '');
  return () => rmSync(file, { force: true });
}

/** Ends what is still noted, at once and without waiting, and returns the ids of those that lived. */
export function killNoted(directory: string): number[] {
  return readdirSync(join(directory, 'processes'))
    .map(Number)
    .filter((pid) => {
      try {
        return process.kill(pid, 'SIGKILL');
      } catch {
        return false;
      }
    });
}
