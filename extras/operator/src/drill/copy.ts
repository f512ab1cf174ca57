import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CommandError } from '@comanda/api/src/command-error.ts';
import { shellWord } from '@comanda/cli/shell-word';
import {
  again,
  applyRoles,
  editUrl,
  means,
  openDatabase,
  repeat,
  roleKinds,
  roleName,
  sqlState,
} from '@comanda/db';
import { lastLines, runTool } from '@comanda/embedded';
import type { CopyTarget } from './copy-target.ts';
import type { Source } from './source.ts';
import { fetchFrom, restoreStanza } from './stanza.ts';

/** How a copy is made. */
export interface CopyOptions {
  source: Source;
  /** The name of the database. */
  database: string;
  superuser: string;
  rolePrefix: string;
  /** Archived log to replay onto a base backup, up to `until` or its end. */
  archive?: string | undefined;
  until?: string | undefined;
}

/** Makes a cluster of its own of a backup, reached through a socket in its folder alone, and starts it. @throws {CommandError} */
export async function makeCopy(target: CopyTarget, options: CopyOptions): Promise<void> {
  const { source } = options;
  if (source.kind === 'files') {
    await plain('cp', ['-a', '--', source.path, join(target.home, 'data')], target);
    const { archive } = options;
    return startFiles(target, options, archive && `cp -- ${shellWord(resolve(archive))}/%f "%p"`);
  }
  if (source.kind === 'stanza') {
    await restoreStanza(target, source, options.until);
    return startFiles(target, options, fetchFrom(source, target.home));
  }
  await startEmpty(target);
  const dump = source.kind === 'dump' ? source.path : join(target.home, 'running.dump');
  if (source.kind === 'running') await dumpOf(target, source.url, dump);
  await restoreDump(target, dump, options);
}

/** In the name of the socket alone; said, since PGPORT may say another. */
const port = '5432';

/** The URL of a database of the copy as a role. */
export const copyUrl = ({ home }: Pick<CopyTarget, 'home'>, role: string, database: string): string =>
  `postgresql://${encodeURIComponent(role)}@${encodeURIComponent(home)}:${port}/${encodeURIComponent(database)}`;

/** Stops it; its files go with its folder. */
export async function stopCopy({ programs, home, account }: CopyTarget): Promise<void> {
  const data = join(home, 'data');
  if (existsSync(join(data, 'postmaster.pid')))
    await programs.run('pg_ctl', ['-D', data, '-m', 'immediate', '-w', 'stop'], { account });
}

async function startEmpty(target: CopyTarget): Promise<void> {
  const data = join(target.home, 'data');
  const how = ['--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  await target.programs.run('initdb', ['-D', data, '-U', superuser, ...how], {
    account: target.account,
    signal: target.signal,
  });
  await start(target, {});
}

/** The superuser of a cluster that we make. */
const superuser = 'postgres';

async function dumpOf({ programs, signal }: CopyTarget, url: string, file: string): Promise<void> {
  let password = '';
  const bare = editUrl(url, (parts) => {
    password = decodeURIComponent(parts.password);
    parts.password = '';
  });
  await programs.run('pg_dump', ['-Fc', '-f', file, '-d', bare], {
    env: { PGPASSWORD: password },
    signal,
  });
}

async function restoreDump(target: CopyTarget, dump: string, options: CopyOptions): Promise<void> {
  const { database, rolePrefix } = options;
  const statements = (name: string, work: Parameters<typeof asSuperuser>[1]) =>
    asSuperuser(copyUrl(target, superuser, name), work);
  await statements('postgres', (client) =>
    client.query(`create database "${database.replaceAll('"', '""')}"`),
  );
  await statements(database, async (client) => {
    await applyRoles(client, rolePrefix);
    for (const kind of roleKinds) await client.query(`alter role "${roleName(rolePrefix, kind)}" login`);
  });
  const owner = copyUrl(target, roleName(rolePrefix, 'owner'), database);
  await target.programs.run('pg_restore', ['--exit-on-error', '--no-owner', '-d', owner, dump], {
    signal: target.signal,
  });
}

/** Starts what was copied or restored; `restoreCommand` fetches the log that is replayed onto it. */
async function startFiles(
  target: CopyTarget,
  options: CopyOptions,
  restoreCommand: string | undefined,
): Promise<void> {
  const { until } = options;
  const data = join(target.home, 'data');
  chmodSync(data, 0o700);
  // Settings of the original that a copy must not have: its archive, its primary, its access rules.
  for (const name of readdirSync(data))
    if (/^(postmaster\.(pid|opts)|(standby|recovery)\.signal|.*\.conf)$/.test(name)) rmSync(join(data, name));
  writeFileSync(join(data, 'pg_hba.conf'), 'local all all trust\n');
  writeFileSync(join(data, 'pg_ident.conf'), '');
  if (restoreCommand !== undefined) writeFileSync(join(data, 'recovery.signal'), '');
  if (target.account !== null)
    await plain('chown', ['-R', `${target.account.uid}:${target.account.gid}`, data], target);
  await start(target, {
    ...(restoreCommand !== undefined && { restore_command: restoreCommand }),
    ...(until !== undefined && { recovery_target_time: until }),
    recovery_target_action: 'promote',
    // It is not read before it is whole, so it need not have as many connections as the original.
    hot_standby: 'off',
  });
  await untilRecovered(target, options);
}

/** pg_ctl returns when the log begins to be replayed; PostgreSQL refuses connections until it ends. */
async function untilRecovered(target: CopyTarget, { superuser, database }: CopyOptions): Promise<void> {
  await repeat(async () => {
    try {
      await asSuperuser(copyUrl(target, superuser, database), (client) => client.query('select'));
      return true;
    } catch (error) {
      const state = sqlState(error)?.code;
      if (means(state, 'starting') && !target.signal.aborted) return again(200);
      // It said so itself: that the moment was not reached, say.
      throw state === undefined ? notStarted(target, error) : error;
    }
  });
}

/** Runs a program of the system, as ourselves. */
async function plain(name: string, argv: string[], { signal }: CopyTarget): Promise<void> {
  const { code, output } = await runTool(name, argv, null, { signal });
  if (code !== 0) throw new CommandError('internal_error', `${name}: ${lastLines(output)}`);
}

async function start(target: CopyTarget, settings: Record<string, string>): Promise<void> {
  const { home, account, programs, signal } = target;
  const data = join(home, 'data');
  const all = {
    port,
    listen_addresses: '',
    unix_socket_directories: home,
    unix_socket_permissions: '0700',
    max_connections: '100',
    archive_mode: 'off',
    fsync: 'off',
    timezone: 'UTC',
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`);
  writeFileSync(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`);
  const argv = ['-D', data, '-l', logOf(target), '-w', '-t', '86400', 'start'];
  await programs.run('pg_ctl', argv, { account, signal }).catch((error: unknown) => {
    throw notStarted(target, error);
  });
}

const logOf = ({ home }: CopyTarget) => join(home, 'log');

function notStarted(target: CopyTarget, error: unknown): CommandError {
  const log = logOf(target);
  const words = existsSync(log) ? lastLines(readFileSync(log, 'utf8')) : (error as Error).message;
  return new CommandError('internal_error', `the copy does not start: ${words}`);
}

async function asSuperuser(
  url: string,
  work: (client: Parameters<typeof applyRoles>[0]) => Promise<unknown>,
): Promise<void> {
  const database = openDatabase({ url, poolSize: 1, applicationName: 'comanda-drill' });
  try {
    await work(database.pool);
  } finally {
    await database.close();
  }
}
