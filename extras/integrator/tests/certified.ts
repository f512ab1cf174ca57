import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { afterAll, expect, inject } from 'vitest';
import type {
  Certification,
  CertificationStart,
} from '../../../packages/api/src/resources/certifications/schema.ts';
import type { Change } from '../../../tests/certification/mutants.ts';
import { makeTestFolder } from '../../../tests/support/folder.ts';
import type { usePublishingApi } from '../../../tests/support/published.ts';
import { noteProcess } from '../../../tests/support/run-directory.ts';
import { waitFor } from '../../../tests/support/wait.ts';

/** The programs that the integration can be run with; none where there is no Python of 3.9 or newer. */
export const pythons =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0
    ? ['python3']
    : [];

/** A program of examples/certified. */
export type Program = 'integration.py' | 'erp.py';

/** A report, and the key of its sandbox. */
export interface Ended {
  report: Certification;
  key: string;
}

/** Starts a program in a sandbox of its own, certifies it, and gives the report. */
export async function certify(
  api: ReturnType<typeof usePublishingApi>,
  program: Program,
  start: CertificationStart,
  change?: Change,
): Promise<Ended> {
  const prepared = preparing.then(() => prepare(api, program, change));
  preparing = prepared.catch(() => {});
  const { key, stop } = await prepared;
  const started = await api.rest<{ data: Certification }>('POST /v2/certifications', { key, body: start });
  expect(started.status).toBe(202);
  const path = `GET /v2/certifications/${started.body.data.id}`;
  const report = await waitFor(
    'the end of the certification',
    async () => {
      const { data } = (await api.rest<{ data: Certification }>(path, { key })).body;
      return data.completed_at !== undefined && data;
    },
    { timeoutMs: 900_000, intervalMs: 1_000 },
  );
  stop();
  return { report, key };
}

// One after the other: a reset is the largest write that a sandbox has.
let preparing: Promise<unknown> = Promise.resolve();

async function prepare(api: ReturnType<typeof usePublishingApi>, program: Program, change?: Change) {
  const { token: key } = await api.place({ location: { sandbox: true }, key: { perMinute: 900 } });
  expect((await api.rest('POST /v2/sandbox/reset', { key })).status).toBe(200);
  const stop = await startIntegration(api.url, key, program, change);
  return { key, stop };
}

/** Starts a program in a folder of its own, spoiled or not; resolves when it is ready. */
async function startIntegration(url: string, key: string, program: Program, change?: Change) {
  const folder = makeTestFolder('certified');
  copyFileSync(join(repositoryRoot, 'examples/certified', program), join(folder, program));
  writeFileSync(join(folder, 'comanda.py'), await (await fetch(`${url}/docs/comanda.py`)).text());
  if (change !== undefined) {
    const [from, to, { file: name = program, also = [] } = {}] = change;
    const file = join(folder, name);
    let text = readFileSync(file, 'utf8');
    for (const { from: part, to: other } of [{ from, to }, also].flat()) {
      if (text.split(part).length !== 2) throw new Error(`${part} is not once in ${file}`);
      text = text.replace(part, () => other);
    }
    writeFileSync(file, text);
  }
  // Found once, without the shims that choose a version.
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
  const env = { PATH: process.env.PATH, COMANDA_URL: url, COMANDA_KEY: key };
  const child = spawn(python.trim(), ['-u', program, '0'], { cwd: folder, env });
  const forget = noteProcess(inject('runDirectory'), child.pid ?? 0);
  children.push(child);
  let said = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  child.once('close', () => {
    forget();
    if (!said.includes('ready')) console.error(said);
  });
  await waitFor('the integration', () => said.includes('ready'), { timeoutMs: 60_000 });
  return () => child.kill('SIGKILL');
}

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
