import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { afterAll, inject } from 'vitest';
import type { CheckName } from '../../packages/api/src/resources/certifications/schema.ts';
import { noteProcess } from '../support/run-directory.ts';
import { waitFor } from '../support/wait.ts';

/** A change of the good integration, after which one check must fail. */
export interface Sabotage {
  file: 'integration.py' | 'comanda.py';
  from: string;
  to: string;
}

/** How the good integration of examples/certified is spoiled, for each check. */
export const sabotages: Readonly<Record<CheckName, Sabotage>> = {
  catalog_pulled: {
    file: 'integration.py',
    from: '            self.pull_catalog()\n            self.version',
    to: '            self.version',
  },
  order_repeated: {
    file: 'comanda.py',
    from: '            time.sleep(wait)\n\n',
    to: '            time.sleep(wait)\n            request.add_header("Idempotency-Key", str(uuid.uuid4()))\n\n',
  },
  waits_as_told: {
    file: 'comanda.py',
    from: '            time.sleep(wait)\n\n',
    to: '            time.sleep(0.1)\n\n',
  },
  every_page: {
    file: 'integration.py',
    from: 'self.comanda.each("/v2/products")',
    to: 'self.comanda.get("/v2/products", limit=200)',
  },
  forged_refused: {
    file: 'integration.py',
    from: 'verify_webhook(self.secret, headers, body)',
    to: '__import__("json").loads(body)',
  },
  once_each: { file: 'integration.py', from: 'if not self.is_news(event):', to: 'if False:' },
  caught_up: { file: 'integration.py', from: '"catch_up": integration.catch_up', to: '"catch_up": print' },
  gone_and_cancelled: {
    file: 'integration.py',
    from: 'self.learn_of_cancelled(event["data"])',
    to: 'pass',
  },
};

/** Knows each event by its id, and pulls again for an older version that comes late: found when the certification was tried. */
export const knowsIdsAlone: Sabotage = {
  file: 'integration.py',
  from: 'event["data"]["version"] > self.version',
  to: 'True',
};

/** The programs that the integration can be run with; none where there is no Python of 3.9 or newer. */
export const pythons =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0
    ? ['python3']
    : [];

/** Starts the integration of examples/certified in a folder of its own, spoiled or not; resolves when it is ready. */
export async function startIntegration(url: string, key: string, sabotage?: Sabotage): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'comanda-certified-'));
  folders.push(folder);
  copyFileSync(join(repositoryRoot, 'examples/certified/integration.py'), join(folder, 'integration.py'));
  writeFileSync(join(folder, 'comanda.py'), await (await fetch(`${url}/docs/comanda.py`)).text());
  if (sabotage !== undefined) {
    const file = join(folder, sabotage.file);
    const text = readFileSync(file, 'utf8');
    if (text.split(sabotage.from).length !== 2) throw new Error(`${sabotage.from} does not stand once there`);
    writeFileSync(
      file,
      text.replace(sabotage.from, () => sabotage.to),
    );
  }
  // Found once, beside the shims that choose a version.
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
  const env = { PATH: process.env.PATH, COMANDA_URL: url, COMANDA_KEY: key };
  const child = spawn(python.trim(), ['-u', 'integration.py', '0'], { cwd: folder, env });
  const forget = noteProcess(inject('runDirectory'), child.pid ?? 0);
  children.push(child);
  let said = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  child.once('close', () => {
    forget();
    if (!said.startsWith('ready')) console.error(said);
  });
  await waitFor('the integration', () => said.startsWith('ready'));
}

const folders: string[] = [];
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
