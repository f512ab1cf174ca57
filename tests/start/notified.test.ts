import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTestDatabase } from '../support/database.ts';
import { finish, startProgram } from './run.ts';

const own = useTestDatabase();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'comanda-notified-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Node has no sockets of this kind: systemd's side is played by Python. */
const listener = `
import socket, sys
own = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
own.bind(sys.argv[1])
print("bound", flush=True)
while "READY=1" not in (word := own.recv(4096).decode(errors="replace")): pass
print(word, flush=True)
`;

const isHere = (program: string) => spawnSync(program, ['--version']).error === undefined;

test.skipIf(!isHere('systemd-notify') || !isHere('python3')).each([
  ['worker', {}],
  ['api', {}],
  ['api', { API_PROCESSES: '2' }],
] as const)(
  'the %s with %o reports to systemd once it serves (skipped where there is no systemd or Python)',
  async (program, more) => {
    const socket = join(folder, `${program}${Object.keys(more).length}`);
    const manager = spawn('python3', ['-c', listener, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
    let heard = '';
    manager.stdout.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
    });
    await once(manager.stdout, 'data');
    const run = startProgram(program, { DATABASE_URL: own.url, NOTIFY_SOCKET: socket, ...more });
    await once(manager, 'close');
    expect(heard).toBe('bound\nREADY=1\n');
    expect(run.output()).toContain('"msg":"ready"');
    expect(await finish(run, 'SIGTERM')).toBe(0);
  },
);
