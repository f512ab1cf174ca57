import { spawnSync } from 'node:child_process';
import { pidSpace, startHeartbeat } from '@comanda/db';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sweep } from '../../packages/worker/src/sweeper.ts';
import { createProduct } from '../support/factories.ts';
import { openAs } from '../support/roles.ts';
import { useSteppedWorker } from '../support/stepped-worker.ts';
import { waitFor } from '../support/wait.ts';
import { useSharedKit } from './kit.ts';

const kit = useSharedKit();
const worker = useSteppedWorker(kit);

describe('the sweeper', () => {
  test('wakes no relay when it finds nothing', async () => {
    const listener = await openAs(kit.url, 'service');
    onTestFinished(() => listener.end());
    const heard: string[] = [];
    listener.on('notification', ({ payload }) => heard.push(payload ?? ''));
    await listener.query('listen comanda_changes');
    expect(await sweep(kit.database, undefined)).toMatchObject({ certifications: 0 });
    await kit.sql(`notify comanda_changes, 'after it'`);
    await waitFor('the notification after it', () => heard.includes('after it'));
    expect(heard).toEqual(['after it']);
  });

  const overdue = async () => {
    const erp = await kit.consumer();
    await kit.createEndpoint({ url: erp.url, events: ['product.created'] });
    await createProduct(kit.database, { locationId: kit.locationId });
    await worker.turn();
    expect(await kit.statuses()).toEqual(['delivered']);
    await kit.sql`
      update webhook_deliveries set status = 'pending', attempts = 0, next_attempt_at = now() - interval '1 minute'`;
    await kit.sql('delete from webhook_attempts');
    await kit.sql('select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))');
    return erp;
  };

  test('queues the job that is missing for a due delivery, once', async () => {
    const erp = await overdue();
    expect(await sweep(kit.database, undefined)).toMatchObject({ claims: 0, endpoints: 1 });
    expect(await sweep(kit.database, undefined)).toMatchObject({ claims: 0, endpoints: 1 });
    expect(await kit.sql('select task_identifier from graphile_worker.jobs')).toHaveLength(1);
    await worker.turn();
    expect(await kit.statuses()).toEqual(['delivered']);
    expect(erp.received).toHaveLength(2);
  });

  test('frees at once what a process of this machine held that is dead, and nothing of the living', async () => {
    await overdue();
    const dead = spawnSync(process.execPath, ['--version']).pid;
    const beat = (id: string, pid: number, space: string | undefined) =>
      kit.sql`
        insert into internal.process_heartbeats (id, kind, host, pid, pid_space) values (${id}, 'worker', 'here', ${pid}, ${space})`;
    const claim = (by: string) =>
      kit.sql`update webhook_deliveries set leased_by = ${by}, leased_until = now() + interval '1 minute'`;
    await beat('lives', process.pid, pidSpace());
    await beat('died elsewhere', dead, 'elsewhere');
    for (const id of ['lives', 'died elsewhere']) {
      await claim(id);
      expect(await sweep(kit.database, undefined), id).toMatchObject({ claims: 0 });
    }
    await beat('died here', dead, pidSpace());
    await claim('died here');
    expect(await sweep(kit.database, undefined)).toMatchObject({ claims: 1, endpoints: 1 });
    const others =
      await kit.sql`select id from internal.process_heartbeats where id <> ${worker.id} order by id`;
    expect(others).toEqual([{ id: 'died elsewhere' }, { id: 'lives' }]);
  });

  test('leaves the claims of the living, and of anybody while it may not judge', async () => {
    await overdue();
    const heartbeat = await startHeartbeat(kit.database, 'worker');
    const claim = (by: string) =>
      kit.sql`update webhook_deliveries set leased_by = ${by}, leased_until = now() + interval '1 minute'`;
    await claim(heartbeat.id);
    expect(await sweep(kit.database, heartbeat.id)).toMatchObject({ claims: 0, endpoints: 0 });
    await claim('worker-of-yesterday');
    expect(await sweep(kit.database, undefined)).toMatchObject({ claims: 0, endpoints: 0 });
    expect(await sweep(kit.database, heartbeat.id)).toMatchObject({ claims: 1, endpoints: 1 });
    await heartbeat.stop();
  });

  test('frees jobs that a dead pool has locked, not those of a living one', async () => {
    const heartbeat = await startHeartbeat(kit.database, 'worker');
    await heartbeat.add('pool-living', 'worker_pool');
    await kit.sql`
      select graphile_worker.add_job('run-sync-jobs', job_key := k) from unnest(array['a', 'b']) k`;
    await kit.sql`update graphile_worker._private_jobs set locked_at = now() - interval '1 minute',
      locked_by = case key when 'a' then 'pool-living' else 'pool-dead' end`;
    await sweep(kit.database, heartbeat.id);
    expect(await kit.sql('select key, locked_by from graphile_worker.jobs order by key')).toEqual([
      { key: 'a', locked_by: 'pool-living' },
      { key: 'b', locked_by: null },
    ]);
    await heartbeat.stop();
  });
});
