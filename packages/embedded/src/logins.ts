import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifier } from './password.ts';

/** A password of letters and digits, and what PostgreSQL stores of it, so that no log of statements holds the password. */
export function newPassword(): { password: string; verifier: string } {
  const password = randomBytes(24).toString('hex');
  return { password, verifier: verifier(password) };
}

const folderOf = (dataDir: string): string => join(dataDir, 'logins');

/**
 * Keeps the password of a person's login next to that of the server, for the user who runs it on this machine; mode
 * 0600.
 */
export function keepLogin(dataDir: string, name: string, password: string): void {
  mkdirSync(folderOf(dataDir), { recursive: true, mode: 0o700 });
  const draft = join(folderOf(dataDir), `.${name}.${process.pid}`);
  writeFileSync(draft, `${password}\n`, { mode: 0o600 });
  renameSync(draft, join(folderOf(dataDir), name));
}

/** Forgets it again. */
export function forgetLogin(dataDir: string, name: string): void {
  rmSync(join(folderOf(dataDir), name), { force: true });
}

/** The password that is kept of a person's login; null where there is none. */
export function readLogin(dataDir: string, name: string): string | null {
  if (!/^\w+$/.test(name)) return null;
  try {
    return readFileSync(join(folderOf(dataDir), name), 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
