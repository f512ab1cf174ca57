import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { CommandError } from '@comanda/api/src/command-error.ts';
import { type StanzaSource, stanzaOf } from './stanza.ts';

/**
 * The source that a drill restores: a running database, a dump of pg_dump (a file or a folder), the files of a base
 * backup, or a stanza.
 */
export type Source =
  | StanzaSource
  | { kind: 'running'; url: string }
  | { kind: 'dump'; path: string }
  | { kind: 'files'; path: string; major: string };

/** Recognizes the kind of source behind `--from`. @throws {CommandError} when it is none of these. */
export function sourceOf(from: string): Source {
  if (/^postgres(ql)?:\/\//.test(from)) return { kind: 'running', url: from };
  if (from.startsWith('pgbackrest:')) return stanzaOf(from.slice('pgbackrest:'.length));
  const named = resolve(from);
  if (!existsSync(named)) throw refusal(`${named} is not there`);
  // Of a link the copy would be a link, too, and what is written into it would go into the backup.
  const path = realpathSync(named);
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
  if (existsSync(version)) {
    refuseLinks(path);
    return { kind: 'files', path, major: readFileSync(version, 'utf8').trim() };
  }
  throw refusal(`${path} holds neither a dump (pg_dump -Fd) nor a base backup (pg_basebackup -Fp)`);
}

/** A copy of a link leads to where the link does: the copy's server would write into the backup, or into what runs. */
function refuseLinks(path: string): void {
  const log = join(path, 'pg_wal');
  if (lstatSync(log, { throwIfNoEntry: false })?.isSymbolicLink())
    throw refusal(
      `${log} is a link to ${readlinkSync(log)}, which a copy would write into: make the base backup without --waldir`,
    );
  const spaces = join(path, 'pg_tblspc');
  const space = (existsSync(spaces) ? readdirSync(spaces, { withFileTypes: true }) : []).find((entry) =>
    entry.isSymbolicLink(),
  );
  if (space !== undefined)
    throw refusal(
      `${path} has a tablespace (pg_tblspc/${space.name}), which a copy would write into: drill a dump, or restore it by hand`,
    );
  const other = readdirSync(path, { withFileTypes: true }).find(
    (entry) => entry.isSymbolicLink() && statSync(join(path, entry.name)).isDirectory(),
  );
  if (other !== undefined)
    throw refusal(`${join(path, other.name)} is a link, which a copy would write through`);
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
