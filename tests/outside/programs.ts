import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const versions = '/usr/lib/postgresql';

/**
 * The folder of a whole PostgreSQL, pg_dump included, which the embedded one comes without; the newest of the system.
 * @throws {Error} with what to install.
 */
export function postgresFolder(): string {
  const installed = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...installed.map((version) => join(versions, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ];
  const found = folders.find((folder) =>
    ['initdb', 'pg_ctl', 'pg_dump', 'pg_restore'].every((name) => existsSync(join(folder, name))),
  );
  if (found === undefined)
    throw new Error('there is no PostgreSQL with pg_dump and pg_restore here: apt-get install postgresql');
  return found;
}

/** The folders of the oldest and of the newest PostgreSQL of the system that pg_upgrade is part of; one where there is one. */
export function upgradeFolders(): { from: string; to: string } {
  const installed = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(a) - Number(b)) : [];
  const folders = installed
    .map((version) => join(versions, version, 'bin'))
    .filter((folder) => existsSync(join(folder, 'pg_upgrade')) && existsSync(join(folder, 'initdb')));
  const [from, to] = [folders[0], folders.at(-1)];
  if (from === undefined || to === undefined)
    throw new Error('there is no PostgreSQL with pg_upgrade here: apt-get install postgresql');
  return { from, to };
}

/** The path of PgBouncer. @throws {Error} with what to install. */
export const pgbouncerPath = (): string => programPath('pgbouncer', 'pgbouncer');

/** The path of Prometheus. @throws {Error} with what to install. */
export const prometheusPath = (): string => programPath('prometheus', 'prometheus');

/** The path of its tool for rules. @throws {Error} with what to install. */
export const promtoolPath = (): string => programPath('promtool', 'prometheus');

/** The path of a program of the system. @throws {Error} with what to install. */
export function programPath(name: string, packageName = name): string {
  const folders = ['/usr/sbin', '/usr/bin', ...(process.env.PATH ?? '').split(':')];
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`there is no ${name} here: apt-get install ${packageName}`);
  return found;
}

/**
 * Runs a program to its end, with `input` on its standard input; gives what it said.
 * @throws {Error} with that, when it failed.
 */
export function runProgram(path: string, argv: readonly string[], input?: string): string {
  const { status, stdout, stderr, error } = spawnSync(path, argv, {
    encoding: 'utf8' as const,
    ...(input !== undefined && { input }),
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${path} ${argv.join(' ')}: ${stdout}${stderr}`);
  return stdout + stderr;
}
