import { createHash, createHmac, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RoleKind } from '@comanda/db';
import { roleName } from '@comanda/db';
import { z } from 'zod';
import { type Account, canEnter, serverAccount } from './account.ts';
import { sharedFolder } from './binaries.ts';
import { isPostgresIn } from './os-processes.ts';

/** Where the embedded server of one data directory lives. */
export interface Instance {
  dataDir: string;
  /** Folder of the cluster, its log and its claim. */
  home: string;
  /** The cluster itself (PGDATA), owned by `account`. */
  cluster: string;
  logFile: string;
  account: Account | null;
  password: string;
  /** Kept port; null before the first start. */
  port: number | null;
  /** The prefix of the names of the roles; null where they were not made. */
  rolePrefix: string | null;
}

const noteSchema = z.object({
  home: z.string().nullable(),
  password: z.string(),
  port: z.number().nullable(),
  rolePrefix: z.string().nullable().default(null),
});

/**
 * Finds, or decides, where the server of `dataDir` lives, and makes the folders; changes nothing else.
 * @throws {Error} when a cluster that exists can no longer be entered by its user.
 */
export function chooseInstance(dataDir: string, log: (line: string) => void): Instance {
  mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  const known = readInstance(dataDir);
  const home = known?.home ?? join(realpathSync(dataDir), 'postgres');
  const account = serverAccount(join(home, 'data'));
  const reachable = account === null || canEnter(account, dirname(home));
  if (!reachable && existsSync(join(home, 'data'))) {
    throw new Error(`the database user can no longer enter ${dirname(home)}: open the way again (chmod o+x)`);
  }
  const chosen = reachable ? home : outsideHome(dataDir, account);
  if (!reachable) log(`the database user cannot enter ${dataDir}: its files are in ${chosen}`);
  mkdirSync(chosen, { recursive: true, mode: account === null ? 0o700 : 0o711 });
  const instance = describeInstance(dataDir, chosen, randomBytes(24).toString('hex'), null);
  return { ...instance, account };
}

/** Reads the password and port of an earlier start, or keeps new ones; the caller must have claimed the home. */
export function settleInstance(instance: Instance, log: (line: string) => void): void {
  const known = readInstance(instance.dataDir);
  if (known?.home === instance.home) {
    instance.password = known.password;
    instance.port = known.port;
    instance.rolePrefix = known.rolePrefix;
    return;
  }
  setAside(instance.cluster, log);
  noteInstance(instance);
}

/** The instance that an earlier start noted; null when there was none. `account` is not looked up. */
export function readInstance(dataDir: string): Instance | null {
  const file = noteFile(dataDir);
  if (!existsSync(file)) return null;
  const note = noteSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  const home = note.home ?? join(realpathSync(dataDir), 'postgres');
  return { ...describeInstance(dataDir, home, note.password, note.port), rolePrefix: note.rolePrefix };
}

/** Keeps the instance, mode 0600: it holds the password. */
export function noteInstance(instance: Instance): void {
  const inside = instance.home === join(realpathSync(instance.dataDir), 'postgres');
  const { password, port, rolePrefix } = instance;
  const note = { home: inside ? null : instance.home, password, port, rolePrefix };
  const draft = `${noteFile(instance.dataDir)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(note)}\n`, { mode: 0o600 });
  renameSync(draft, noteFile(instance.dataDir));
}

/** The server that lives in the cluster now, as its process id; null when none does. */
export function postmasterOf(instance: Instance): number | null {
  try {
    const pid = Number(readFileSync(join(instance.cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && pid > 1 && isPostgresIn(pid, instance.cluster) ? pid : null;
  } catch {
    return null;
  }
}

/** Connection string of the server's database as one of the roles; as the superuser where there are none. */
export function roleUrlOf(instance: Instance, port: number, role: RoleKind | 'superuser'): string {
  if (role === 'superuser' || instance.rolePrefix === null) return instanceUrl(instance, port);
  const name = roleName(instance.rolePrefix, role);
  return `postgresql://${name}:${rolePassword(instance, name)}@127.0.0.1:${port}/comanda`;
}

/** A password for each role of the server, which opens no other: made of the one that is kept. */
export const rolePassword = (instance: Instance, name: string): string =>
  createHmac('sha256', instance.password).update(name).digest('hex');

/** Connection string of a database on the server that lives in `instance`. */
export function instanceUrl(instance: Instance, port: number, database = 'comanda'): string {
  return `postgresql://comanda:${instance.password}@127.0.0.1:${port}/${database}`;
}

function describeInstance(dataDir: string, home: string, password: string, port: number | null): Instance {
  const cluster = join(home, 'data');
  return {
    dataDir,
    home,
    cluster,
    logFile: join(home, 'server.log'),
    account: null,
    password,
    port,
    rolePrefix: null,
  };
}

function noteFile(dataDir: string): string {
  return join(dataDir, 'postgres.json');
}

function outsideHome(dataDir: string, account: Account): string {
  const hash = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16);
  return join(sharedFolder(account), hash);
}

/** A cluster whose note is gone has lost its password with it: it is kept under another name, never deleted. */
function setAside(cluster: string, log: (line: string) => void): void {
  if (!existsSync(cluster)) return;
  const aside = `${cluster}.${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`;
  renameSync(cluster, aside);
  log(`found a database without its password: kept it as ${aside}, starting an empty one`);
}
