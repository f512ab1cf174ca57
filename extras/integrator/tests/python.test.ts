import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '@comanda/db';
import { expect, test } from 'vitest';
import { startConsumer } from '../../../tests/support/consumer.ts';
import { makeTestFolder } from '../../../tests/support/folder.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { type Fault, startFront } from './front.ts';

const api = usePublishingApi();
const work = makeTestFolder('python');

const isThere = (program: string) =>
  spawnSync(program, ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
// The oldest supported version, where it is installed as well.
const pythons = ['python3', 'python3.9'].filter(isThere);
if (pythons.length === 0)
  console.warn(
    'Python 3.9 or newer is not on this machine (Debian: python3): the tests of comanda.py are not run.',
  );

test('the guide of comanda.py names everything that it offers', () => {
  const file = join(repositoryRoot, 'dist/docs/comanda.py');
  const [source = ''] = readFileSync(file, 'utf8').split('class _NoRedirect');
  const guide = readFileSync(join(repositoryRoot, 'docs/guides/python.md'), 'utf8');
  const offered = [
    ...source.matchAll(/^(?:class|def| {4}def) ([a-z]\w*|Comanda\w*|NoAnswer|WebhookError)\b/gm),
  ];
  expect(offered.length).toBeGreaterThan(10);
  for (const [, name = ''] of offered) expect(guide).toContain(name);
});

test.each(pythons)(
  '%s: the tests of comanda.py pass against the service',
  { timeout: 120_000 },
  async (python) => {
    const { locationId, token: key } = await api.place({ location: { timezone: 'America/Sao_Paulo' } });
    const reader = await api.make.key({ locationId, permissions: ['orders:read'] });
    for (let n = 0; n < 5; n++) await api.make.product({ locationId, name: `Product ${n}`, price: 12.35 });
    await api.make.paymentMethod({ locationId });
    await api.published();

    const elsewhere = await startConsumer();
    const met = new Set<string>();
    // `X-Fault: <name of the try> <fault as JSON>`: the first time, and then no more.
    const front = await startFront(api.url, ({ headers }) => {
      const [, name = '', fault = ''] = /^(\S+) (.*)$/.exec(String(headers['x-fault'] ?? '')) ?? [];
      if (name === '' || met.has(name)) return undefined;
      met.add(name);
      return JSON.parse(fault) as Fault;
    });
    const folder = join(work, python);
    mkdirSync(folder);
    const download = await fetch(`${api.url}/docs/comanda.py`);
    writeFileSync(join(folder, 'comanda.py'), await download.text());

    const environment = {
      PATH: process.env.PATH,
      PYTHONPATH: folder,
      COMANDA_URL: api.url,
      COMANDA_KEY: key,
      COMANDA_READER: reader.key,
      FRONT_URL: front.url,
      ELSEWHERE: elsewhere.url,
      VECTOR: join(repositoryRoot, 'examples/verify-webhook/vector.json'),
    };
    const tests = join(repositoryRoot, 'extras/integrator/tests/python');
    const run = promisify(execFile)(python, ['-B', '-W', 'error', '-m', 'unittest', '-v'], {
      cwd: tests,
      env: environment,
    });
    const { stderr } = await run.catch((error) => error as { stderr: string });
    await Promise.all([front.close(), elsewhere.close()]);
    expect(stderr).toMatch(/\nRan \d\d tests in .*\n\nOK\n$/);
    expect(elsewhere.received).toEqual([]);
  },
);
