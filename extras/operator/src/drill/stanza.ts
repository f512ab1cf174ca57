import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '@comanda/api/src/command-error.ts';
import { shellWord } from '@comanda/cli/shell-word';
import { lastLines, runTool } from '@comanda/embedded';
import { z } from 'zod';
import type { CopyTarget } from './copy-target.ts';

/** A stanza of pgBackRest with a backup that can be restored. */
export interface StanzaSource {
  kind: 'stanza';
  stanza: string;
  /** The major version of PostgreSQL that its newest backup is of. */
  major: string;
}

/** The fields of `pgbackrest info` for a stanza, as far as they are read. */
const Info = z.array(
  z.object({
    status: z.object({ message: z.string() }),
    backup: z.array(z.object({ database: z.object({ id: z.number() }) })),
    db: z.array(z.object({ id: z.number(), version: z.string() })),
  }),
);

/** Asks pgBackRest about a stanza. @throws {CommandError} it is not installed, not configured, or has no backup. */
export function stanzaOf(stanza: string): StanzaSource {
  if (!/^[\w-]+$/.test(stanza))
    throw refusal('a stanza has a name of letters, digits, - and _, as in pgbackrest:main');
  const argv = [...flags(stanza), '--output=json', 'info'];
  const { status, stdout, stderr, error } = spawnSync('pgbackrest', argv, { encoding: 'utf8' });
  if (error !== undefined) throw refusal(`pgbackrest does not run here: ${error.message}`);
  if (status !== 0) throw refusal(`pgbackrest info: ${lastLines(stderr || stdout)}`);
  const [found] = Info.parse(JSON.parse(stdout));
  const newest = found?.backup.at(-1);
  const version = found?.db.find(({ id }) => id === newest?.database.id)?.version;
  if (version === undefined)
    throw refusal(`stanza ${stanza} has no backup: ${found?.status.message ?? 'it is not known'}`);
  return { kind: 'stanza', stanza, major: version };
}

/**
 * Restores the newest backup of a stanza, or the newest before `until`, into the empty folder `data` of the target.
 * Tablespaces and links are restored within the target. @throws {CommandError} with pgBackRest's last words.
 */
export async function restoreStanza(
  { home, account, signal }: CopyTarget,
  { stanza }: StanzaSource,
  until: string | undefined,
): Promise<void> {
  const data = join(home, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (account !== null) chownSync(data, account.uid, account.gid);
  const argv = [
    ...flags(stanza),
    `--pg1-path=${data}`,
    `--tablespace-map-all=${join(home, 'tablespaces')}`,
    `--lock-path=${home}`,
    ...(until === undefined
      ? ['--type=default']
      : ['--type=time', `--target=${until}`, '--target-action=promote']),
    '--log-level-console=warn',
    '--log-level-file=off',
    'restore',
  ];
  const { code, output } = await runTool('pgbackrest', argv, account, { signal });
  if (code !== 0) throw new CommandError('internal_error', `pgbackrest restore: ${lastLines(output)}`);
}

/** The `restore_command` of a copy that lies in `home`. */
export const fetchFrom = ({ stanza }: StanzaSource, home: string): string =>
  [
    'pgbackrest',
    ...flags(stanza).map(shellWord),
    ...[`--pg1-path=${home}/data`, `--lock-path=${home}`].map(shellWord),
    '--no-archive-async',
    '--log-level-console=warn',
    '--log-level-file=off',
    'archive-get',
    '%f',
    '"%p"',
  ].join(' ');

// One of our programs sees none of our variables except those that are handed on, so the configuration is named
// explicitly.
function flags(stanza: string): string[] {
  const config = process.env.PGBACKREST_CONFIG;
  return [`--stanza=${stanza}`, ...(config ? [`--config=${config}`] : [])];
}

const refusal = (message: string) => new CommandError('validation_error', `--from: ${message}`);
