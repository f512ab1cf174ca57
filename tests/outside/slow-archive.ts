import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from './programs.ts';

/** A copy of an archive of the log. */
export interface SlowArchive {
  folder: string;
  /** Gives the last file of the log, a second after PostgreSQL begins to read it. */
  giveLast(): Promise<void>;
}

/** Makes the copy in `folder`; its last file comes on command. */
export function slowArchive(archive: string, folder: string): SlowArchive {
  runProgram('cp', ['-a', archive, folder]);
  const files = readdirSync(archive).filter((file) => /^[0-9A-F]{24}$/.test(file));
  const last = join(folder, files.sort().at(-1) ?? '');
  const later = join(folder, 'later');
  renameSync(last, later);
  runProgram('mkfifo', [last]);
  return {
    folder,
    async giveLast() {
      // Opens once it is read from. PostgreSQL may ask for the same file again.
      const pipe = await open(last, 'w');
      const bytes = readFileSync(later);
      renameSync(later, last);
      await sleep(1_000);
      await pipe.writeFile(bytes);
      await pipe.close();
    },
  };
}
