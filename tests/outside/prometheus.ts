import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { inject } from 'vitest';
import { choosePort } from '../../packages/embedded/src/port.ts';
import { noteProcess } from '../support/run-directory.ts';
import { waitFor } from '../support/wait.ts';
import { prometheusPath } from './programs.ts';

/** The folder of our rules and their settings. */
export const rulesFolder = join(repositoryRoot, 'ops/prometheus');

/** A Prometheus that watches, and what it calls for. */
export interface Prometheus {
  /** The names of the alerts that fire now. */
  firing(): Promise<string[]>;
  /** How many series answer a query now. @throws {Error} with what Prometheus says of a query that it cannot read. */
  series(query: string): Promise<number>;
  stop(): Promise<void>;
}

/** Starts one with our settings and rules; it looks four times a second, and what is wrong need not last. */
export async function startPrometheus(targets: { api: string; worker: string }): Promise<Prometheus> {
  const home = mkdtempSync(join(tmpdir(), 'comanda-outside-'));
  const settings = readFileSync(join(rulesFolder, 'prometheus.yml'), 'utf8')
    .replaceAll('15s', '250ms')
    .replace('"127.0.0.1:3001", "127.0.0.1:3002"', `"${new URL(targets.api).host}"`)
    .replace('127.0.0.1:9300', new URL(targets.worker).host);
  const rules = readFileSync(join(rulesFolder, 'comanda.rules.yml'), 'utf8');
  writeFileSync(join(home, 'prometheus.yml'), settings);
  writeFileSync(join(home, 'comanda.rules.yml'), rules.replace(/^ +for: .*\n/gm, ''));
  copyFileSync(join(rulesFolder, 'comanda.tests.yml'), join(home, 'comanda.tests.yml'));
  const port = await choosePort(home, null);
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    prometheusPath(),
    [
      `--config.file=${join(home, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(home, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  const ended = noteProcess(inject('runDirectory'), child.pid ?? 0);
  await waitFor('Prometheus to be ready', async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended: ${said}`);
    return (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok === true;
  });
  return {
    async firing() {
      const { data } = (await (await fetch(`${url}/api/v1/alerts`)).json()) as Alerts;
      const names = data.alerts
        .filter(({ state }) => state === 'firing')
        .map(({ labels }) => labels.alertname);
      return [...new Set(names)].sort();
    },
    async series(query) {
      const response = await fetch(`${url}/api/v1/query`, {
        method: 'POST',
        body: new URLSearchParams({ query }),
      });
      const { error, data } = (await response.json()) as { error?: string; data?: { result: unknown[] } };
      if (data === undefined) throw new Error(`${query}: ${error}`);
      return data.result.length;
    },
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      ended();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

interface Alerts {
  data: { alerts: { state: string; labels: { alertname: string } }[] };
}
