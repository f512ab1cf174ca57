import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, inject, test } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { embeddedUrl } from '../../packages/embedded/src/server.ts';
import { runOnce } from '../support/server.ts';
import { reportFault } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import type { SoakReport } from './report.ts';

// The long parts of an hour's soak are short here: few kinds of kills, one after the other, and quick retries.
const brief = ['--rate', '10', '--retry-delays', '1,1,2,2'];

test.concurrent('a short soak kills, loses nothing, and can explain everything that callers met', {
  timeout: 1_200_000,
}, async ({ expect }) => {
  const json = join(inject('runDirectory'), 'soak.json');
  const words = ['--minutes', '0.3', '--kills', '2', '--kill-every', '3', '--kinds', 'api,worker,postgres'];
  const { code, output } = await run([...brief, ...words, '--json', json]).end();
  expect(code, output).toBe(0);
  const { verdict, byKind, visits, memory, calls }: SoakReport = JSON.parse(readFileSync(json, 'utf8'));
  const { orders, published, kills, troubles, redelivered } = verdict;
  const { events, delivered, dead } = published;
  reportFault('soak, in short', {
    ...{ trials: kills.total, real: kills.real, orders, events },
    ...{ delivered, dead, 'redelivered after a kill': redelivered.afterKill },
  });
  expect(verdict.complaints).toEqual([]);
  expect(kills.real).toBeGreaterThanOrEqual(2);
  expect(orders).toBeGreaterThan(20);
  expect(calls).toBeGreaterThanOrEqual(orders - 100);
  expect(delivered + dead).toBe(events);
  expect(verdict.arrivals).toBeGreaterThanOrEqual(events);
  expect(redelivered.unexplained).toBe(0);
  expect(troubles.filter(({ unexplained }) => unexplained > 0)).toEqual([]);
  expect(byKind.reduce((sum, row) => sum + row.kills, 0)).toBe(kills.total);
  expect(visits.length).toBeGreaterThan(0);
  for (const { role, last } of memory) expect(last, role).toBeGreaterThan(10);
  for (const line of ['orders', 'delivered', 'redelivered', 'memory, MiB', 'Nothing lost'])
    expect(output).toContain(line);
});

test.concurrent('a soak during which an acknowledged order is taken away says so and fails', {
  timeout: 400_000,
}, async ({ expect }) => {
  const soak = run([...brief, '--alone', '--minutes', '0.12', '--kill-every', '4', '--kinds', 'worker']);
  await waitFor('the load to begin', () => soak.output().includes('load begins'), { timeoutMs: 180_000 });
  const [, directory = ''] = /in (\S*comanda-soak-\S+)/.exec(soak.output()) ?? [];
  const url = (await embeddedUrl(join(directory, 'data'), 'superuser')) ?? '';
  await waitFor(
    'an order to take away',
    async () => {
      await runOnce(
        url,
        `set session_replication_role = replica;
         do $$ begin
           -- An order whose events are all published: the soak would wait for unpublished ones.
           delete from orders where id = (select id from orders where status in ('closed', 'canceled')
             and created_at < now() - interval '2 seconds' and not exists (select from internal.captured_changes) limit 1);
           if not found then raise 'there is none'; end if;
         end $$`,
      );
      return true;
    },
    { timeoutMs: 60_000 },
  );
  const { code, output } = await soak.end();
  expect(code, output).toBe(1);
  expect(output).toMatch(/COMPLAINT: keys of orders that do not exist/);
  expect(output).toContain('BROKEN.');
  // The logs are kept for a search of the cause; here it is known.
  expect(output).toContain(`the logs are in ${directory}`);
  rmSync(directory, { recursive: true });
});

interface SoakRun {
  output(): string;
  end(): Promise<{ code: number | null; output: string }>;
}

const running = new Set<ChildProcess>();

// Asked to stop, it ends all that it started.
afterAll(async () => {
  await Promise.all(
    [...running].map(async (child) => {
      child.kill('SIGTERM');
      await once(child, 'close');
    }),
  );
}, 120_000);

function run(words: readonly string[]): SoakRun {
  const child = spawn(
    process.execPath,
    [join(repositoryRoot, 'scripts/test.mjs'), '--suite', 'soak', ...words],
    { cwd: repositoryRoot, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  const ended = once(child, 'close').then(([code]: (number | null)[]) => {
    running.delete(child);
    return { code: code ?? null, output };
  });
  return { output: () => output, end: () => ended };
}
