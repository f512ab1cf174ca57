import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Cursor } from './feed.ts';
import { UsageError } from './usage-error.ts';
import { writeWhole } from './whole-file.ts';

/** The state kept from one run to the next, in a file that its owner alone may read. */
export interface State {
  /** The secret that deliveries are signed with. */
  readonly secret: string;
  /** The position of `listen`; empty at the beginning. */
  readonly cursor: Cursor;
  /** Replaces the cursor, on the disk too. */
  keep(cursor: Cursor): void;
}

/**
 * Reads it, or begins with a new secret. `secret` is one to sign with instead, which is not written down.
 * @throws {UsageError} when the file cannot be read or written, or is something else.
 */
export function openState(file: string, secret: string | undefined): State {
  const stored = read(file);
  const kept = { secret: stored.secret ?? `whsec_${randomBytes(32).toString('base64')}` };
  const write = (cursor: Cursor) =>
    writeWhole(file, `${JSON.stringify({ ...kept, ...cursor })}\n`, { mode: 0o600 });
  const cursor = { after: stored.after, since: stored.since };
  if (stored.secret === undefined) write(cursor);
  return { secret: secret ?? kept.secret, cursor, keep: write };
}

function read(file: string): Cursor & { secret?: string } {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  try {
    const stored = JSON.parse(text);
    if (typeof stored.secret === 'string' && stored.secret.startsWith('whsec_')) return stored;
  } catch {
    // Reported below.
  }
  throw new UsageError(`${file} is no file of comanda listen: remove it, or name another with --state`);
}
