import { copyFileSync, statSync, truncateSync } from 'node:fs';
import type { Instance } from './instance.ts';

const mostBytes = 10 * 1024 * 1024;

/**
 * Keeps the log of the server small: beyond 10 MiB it becomes `server.log.1` and starts again. PostgreSQL has the file
 * open and appends, so it is copied and emptied, never renamed. Where there is no room for the copy it stays as it is.
 */
export function trimServerLog({ logFile }: Pick<Instance, 'logFile'>): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= mostBytes) return;
  try {
    copyFileSync(logFile, `${logFile}.1`);
    truncateSync(logFile);
  } catch {
    // The next look tries again.
  }
}
