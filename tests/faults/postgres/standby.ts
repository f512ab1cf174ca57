import { spawnSync } from 'node:child_process';
import { chownSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBinaries } from '../../../packages/embedded/src/binaries.ts';
import { prepareStart } from '../../../packages/embedded/src/cluster.ts';
import { chooseInstance, type Instance } from '../../../packages/embedded/src/instance.ts';
import { choosePort } from '../../../packages/embedded/src/port.ts';
import { withClient } from '../../support/sql.ts';
import { makeFolder, type OwnServer, serverAt } from './server.ts';

/** The settings of the primary of a standby: enough of its log for a standby that was away. */
export const primarySettings = { wal_keep_size: '256MB' } as const;

/** Makes a streaming standby of the server from a copy of its files, and starts it. */
export async function startStandby(primary: OwnServer): Promise<OwnServer> {
  const instance = chooseInstance(join(makeFolder(), 'data'), () => {});
  instance.password = primary.instance.password;
  await copyCluster(primary, instance);
  const { hostname, port: primaryPort, username, password } = new URL(primary.url);
  const port = await choosePort(instance.home, null);
  prepareStart(instance, port, {
    max_connections: '100',
    hot_standby_feedback: 'on',
    // Reads give way at once: conflicts are what the tests are for.
    max_standby_streaming_delay: '0',
    wal_retrieve_retry_interval: '200ms',
    primary_conninfo: `host=${hostname} port=${primaryPort} user=${username} password=${password}`,
  });
  const standby = serverAt(instance, await findBinaries(instance.account, () => {}), port);
  await standby.start();
  return standby;
}

// The work of pg_basebackup, which we do not ship: a copy that is made while the server runs, and the files that
// make it whole.
async function copyCluster(primary: OwnServer, { cluster, account }: Instance): Promise<void> {
  await withClient(primary.url, async (client) => {
    await client.query(`select pg_backup_start('standby', fast => true)`);
    // With their owner, who may not be us.
    const { status, stderr } = spawnSync('cp', ['-a', primary.instance.cluster, cluster], {
      encoding: 'utf8',
    });
    if (status !== 0 && !/No such file/.test(stderr)) throw new Error(`the copy failed: ${stderr}`);
    const { rows } = await client.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(wait_for_archive => false)',
    );
    for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(cluster, name), { force: true });
    for (const [name, text] of [
      ['backup_label', rows[0]?.labelfile ?? ''],
      ['standby.signal', ''],
    ] as const) {
      writeFileSync(join(cluster, name), text, { mode: 0o600 });
      if (account !== null) chownSync(join(cluster, name), account.uid, account.gid);
    }
  });
}
