import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { inject } from 'vitest';
import { endAfterTests } from '../support/left-over.ts';
import { noteProcess } from '../support/run-directory.ts';
import { waitFor } from '../support/wait.ts';

const program = join(import.meta.dirname, 'node-red/node_modules/node-red/red.js');
const flows = join(repositoryRoot, 'examples/node-red');

/** A Node-RED with its own settings and all flows of `examples/node-red`. */
export interface NodeRed {
  /** Presses the button of an inject node. */
  press(id: string): Promise<void>;
  /** What it has printed. */
  output(): string;
}

/** Starts one on a free port, which ends with the tests of the file. Flows read `env`. */
export async function startNodeRed(port: number, env: Record<string, string>): Promise<NodeRed> {
  const folder = mkdtempSync(join(tmpdir(), 'comanda-outside-'));
  const nodes = readdirSync(flows).flatMap((file) => JSON.parse(readFileSync(join(flows, file), 'utf8')));
  writeFileSync(join(folder, 'flows.json'), JSON.stringify(nodes));
  const settings = ['-D', 'uiHost=127.0.0.1', '-D', 'telemetry.enabled=false'];
  const child = spawn(
    process.execPath,
    [program, '--userDir', folder, '--port', String(port), ...settings, 'flows.json'],
    { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const forget = noteProcess(inject('runDirectory'), child.pid ?? 0);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  endAfterTests(async () => {
    child.kill('SIGKILL');
    await ended;
    forget();
    rmSync(folder, { recursive: true, force: true });
  });
  await waitFor('the flows to start', () => output.includes('Started flows'), { timeoutMs: 60_000 }).catch(
    (error) => {
      throw new Error(output, { cause: error });
    },
  );
  return {
    async press(id) {
      const { status } = await fetch(`http://127.0.0.1:${port}/inject/${id}`, { method: 'POST' });
      if (status !== 200) throw new Error(`inject ${id}: ${status}`);
    },
    output: () => output,
  };
}
