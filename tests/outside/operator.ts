import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { roleKinds } from '../../packages/db/src/roles/names.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { runTool } from '../../packages/embedded/src/os-processes.ts';
import { choosePort } from '../../packages/embedded/src/port.ts';
import { runComanda } from '../support/command.ts';
import { runOnce } from '../support/server.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { blocksOf, type PageBlock, runBlock } from './page.ts';

/** An operator at a shell with a page of docs/, and a server of PostgreSQL that is set up as the page says. */
export interface Operator {
  cluster: Cluster;
  /** Of the shell; what is added is there in the blocks that follow. */
  env: Record<string, string>;
  /** Runs the blocks under a heading, in their order, and gives what they printed. */
  follow(heading: string, more: Record<string, string>): Promise<string>;
  /** The blocks that were not used. */
  left(): PageBlock[];
  remove(): Promise<void>;
}

/** Starts the server with the settings of the page and those of `server`, and a migrated database `comanda` with its four roles. */
export async function startOperator(
  page: string,
  encryptionKey: string,
  server: { programs?: string; settings?: (home: string) => string } = {},
): Promise<Operator> {
  const blocks = blocksOf(page);
  const done = new Set(blocks.filter(({ kind }) => kind === 'ini'));
  const cluster = await startCluster(
    (home) =>
      [...done]
        .map(({ code }) => code.replaceAll('/backups', `${home}/backups`))
        .concat(server.settings?.(home) ?? [])
        .join('\n'),
    server.programs,
  );
  const { home, account, programs, url } = cluster;
  for (const folder of ['backups', 'backups/archive', 'bin']) {
    mkdirSync(join(home, folder));
    if (account !== null) chownSync(join(home, folder), account.uid, account.gid);
  }
  const comanda = `#!/bin/sh\nexec '${process.execPath}' '${repositoryRoot}/scripts/comanda.mjs' "$@"\n`;
  writeFileSync(join(home, 'bin/comanda'), comanda);
  chmodSync(join(home, 'bin/comanda'), 0o755);
  await runOnce(url('postgres', 'postgres'), 'create role operator login createrole createdb');
  await runOnce(url('operator', 'postgres'), 'create database comanda');
  await must({ DATABASE_URL: url('operator', 'comanda') }, 'db', 'roles', '--apply');
  for (const kind of roleKinds) await runOnce(url('operator', 'comanda'), `alter role comanda_${kind} login`);
  const ours = {
    DATABASE_URL: url('comanda_service', 'comanda'),
    DATABASE_OWNER_URL: url('comanda_owner', 'comanda'),
  };
  await must(ours, 'migrate');
  const restored = join(home, 'restored');
  const env: Record<string, string> = {
    PATH: `${home}/bin:${programs}:${process.env.PATH}`,
    HOME: home,
    TMPDIR: home,
    BACKUPS: `${home}/backups`,
    ARCHIVE: `${home}/backups/archive`,
    PGDATA: restored,
    SERVER: new URL(url('x', 'x')).host,
    OPERATOR: 'operator',
    SUPERUSER: 'postgres',
    REPLICATION: 'postgres',
    ...ours,
    ENCRYPTION_KEY: encryptionKey,
    WEBHOOK_TARGETS: 'any',
    PGPORT: String(await choosePort(restored, null)),
  };
  return {
    cluster,
    env,
    async follow(heading, more) {
      const mine = blocks.filter(({ under, kind }) => under === heading && kind.startsWith('sh'));
      if (mine.length === 0) throw new Error(`${page} has no commands under ${heading}`);
      let said = '';
      for (const block of mine) {
        said += await runBlock(block, { ...env, ...more }, block.kind === 'sh postgres' ? account : null);
        done.add(block);
      }
      return said;
    },
    left: () => blocks.filter((block) => !done.has(block)),
    async remove() {
      if (existsSync(join(restored, 'postmaster.pid')))
        await runTool(join(programs, 'pg_ctl'), ['-D', restored, '-m', 'fast', '-w', 'stop'], account);
      await cluster.remove();
    },
  };
}

async function must(settings: Record<string, string>, ...argv: string[]): Promise<void> {
  const { code, stderr } = await runComanda(settings, ...argv);
  if (code !== 0) throw new Error(`comanda ${argv.join(' ')}: ${stderr}`);
}
