import { appendFileSync, chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import type { Instance } from './instance.ts';
import { runTool } from './os-processes.ts';
import { trimServerLog } from './server-log.ts';

/** Server settings by name, as postgresql.conf spells them. */
export type ServerSettings = Readonly<Record<string, string>>;

/** For what is thrown away after tests, and need not survive a power cut; locks and visibility are the same. */
export const forgetful: ServerSettings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** For a small machine, durable: fsync and synchronous_commit keep PostgreSQL's defaults (on). */
const defaultSettings: ServerSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // An API process a core (API_PROCESSES) takes 23 of them, a worker 25.
  max_connections: String(Math.max(100, 60 + 24 * availableParallelism())),
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  max_wal_size: '1GB',
  random_page_cost: '1.1',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
};

/**
 * Makes the cluster when there is none: UTF-8, text sorted by code point, passwords over scram. Built under
 * another name and renamed, so that a start cut short leaves nothing half done.
 * @throws {Error} with the words of initdb when it fails.
 */
export async function ensureCluster(instance: Instance, binaries: Binaries): Promise<boolean> {
  if (existsSync(join(instance.cluster, 'PG_VERSION'))) return false;
  const draft = `${instance.cluster}.new`;
  const passwordFile = `${draft}.password`;
  rmSync(draft, { recursive: true, force: true });
  rmSync(passwordFile, { force: true });
  mkdirSync(draft, { mode: 0o700 });
  giveTo(instance.account, draft);
  writeFileSync(passwordFile, `${instance.password}\n`, { mode: 0o600 });
  giveTo(instance.account, passwordFile);
  const { code, output } = await runTool(
    binaries.initdb,
    [
      '-D',
      draft,
      '-U',
      'comanda',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C',
      ...letters(binaries),
    ],
    instance.account,
  );
  rmSync(passwordFile, { force: true });
  if (code !== 0) throw new Error(`initdb failed: ${lastLines(output)}`);
  appendFileSync(join(draft, 'postgresql.conf'), "\ninclude_if_exists = 'comanda.conf'\n");
  renameSync(draft, instance.cluster);
  return true;
}

/** Text sorts by code point as with C; this also knows the upper and lower case of letters beyond ASCII. */
const letters = ({ major }: Binaries) =>
  major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : ['--lc-ctype=C.UTF-8'];

/** Writes our settings for the next start, and keeps the log file small. */
export function prepareStart(instance: Instance, port: number, settings: ServerSettings): void {
  const all = { ...defaultSettings, ...settings, port: String(port) };
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`);
  const file = join(instance.cluster, 'comanda.conf');
  writeFileSync(
    file,
    `# Written at every start; use ALTER SYSTEM to change a setting.\n${lines.join('\n')}\n`,
  );
  giveTo(instance.account, file);
  trimServerLog(instance);
  writeFileSync(instance.logFile, '', { flag: 'a', mode: 0o600 });
  giveTo(instance.account, instance.logFile);
}

/** The end of a tool's or server's words, on one line. */
export function lastLines(text: string): string {
  return text.trim().split('\n').slice(-4).join(' | ');
}

function giveTo(account: Account | null, path: string): void {
  if (account !== null) chownSync(path, account.uid, account.gid);
}
