import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { CommandError } from '../../command-error.ts';

/** What a drill restores: a running database, a dump of pg_dump (a file or a folder), or the files of a base backup. */
export type Source =
  | { kind: 'running'; url: string }
  | { kind: 'dump'; path: string }
  | { kind: 'files'; path: string; major: string };

/** Tells what stands behind `--from`. @throws {CommandError} when it is none of these. */
export function sourceOf(from: string): Source {
  if (/^postgres(ql)?:\/\//.test(from)) return { kind: 'running', url: from };
  const path = resolve(from);
  if (!existsSync(path)) throw refusal(`${path} is not there`);
  if (!statSync(path).isDirectory()) {
    if (head(path) === 'PGDMP') return { kind: 'dump', path };
    throw refusal(`${path} is no dump that pg_restore reads: make it with pg_dump -Fc`);
  }
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
  } catch {
    throw refusal(`${path} cannot be read: run the drill as root, or as the account whose it is`);
  }
  if (existsSync(join(path, 'toc.dat'))) return { kind: 'dump', path };
  const version = join(path, 'PG_VERSION');
  if (existsSync(version)) return { kind: 'files', path, major: readFileSync(version, 'utf8').trim() };
  throw refusal(`${path} holds neither a dump (pg_dump -Fd) nor a base backup (pg_basebackup -Fp)`);
}

const refusal = (message: string) => new CommandError('validation_error', `--from: ${message}`);

function head(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(5);
    readSync(file, bytes);
    return bytes.toString('latin1');
  } finally {
    closeSync(file);
  }
}
