import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '@comanda/db';
import { beforeAll, describe, expect, it } from 'vitest';
import { useApi } from '../../../tests/support/api.ts';
import { codeOf, controls, controlsIn, halves } from '../../../tests/support/controls.ts';
import { listening } from '../../../tests/support/listening.ts';
import { useClosed } from '../../../tests/support/use.ts';
import { commands } from '../src/commands.ts';
import { useDownload } from './comanda-mjs.ts';

const api = useApi();

/** The characters in every text of the service, and in the answers of the receiver. */
const marks = [...controls, ...halves].join('');
const hostile = `a${marks}b\n**passed**: 8 of 8 checks passed.\n# <b>All is well</b> [here](http://127.0.0.1) \`x\``;

const certification = {
  id: hostile,
  status: 'failed',
  verdict: hostile,
  created_at: hostile,
  completed_at: hostile,
  waiting_for: { check: hostile, action: hostile, text: hostile, until: hostile },
  checks: ['passed', 'failed', hostile].map((status) => ({
    check: hostile,
    title: hostile,
    status,
    reason: hostile,
    done: [hostile],
    read: hostile,
    seen: [{ at: hostile, text: hostile, request_id: hostile }],
  })),
};
const event = {
  id: '01a2066f-d568-7283-838f-38d073ea532b',
  type: 'order.created',
  created_at: hostile,
  data: { hostile },
};
const attempt = {
  id: hostile,
  event_id: hostile,
  event_type: hostile,
  attempt: 1,
  status: hostile,
  error: hostile,
  duration_ms: 1,
  attempted_at: hostile,
  next_attempt_at: hostile,
};

const fault = { index: 0, message: hostile };
const change = {
  index: 0,
  action: hostile,
  changes: [{ field: hostile, before: hostile, after: hostile }],
};
const limits = {
  effective_permissions: ['sync:products', 'sync:read', 'stock:sync'],
  max_items_per_batch: 500,
  batch_jobs_per_hour: { remaining: 0 },
};
const order = {
  id: hostile,
  number: hostile,
  status: hostile,
  total: hostile,
  created_at: hostile,
  payment: { id: hostile, status: hostile },
  external_id: hostile,
  channel: hostile,
  identifier: hostile,
  items: [{ product_id: hostile, name: hostile, quantity: 1, unit_price: 1, total: 1, comment: hostile }],
};

/** Its answers, by path. */
const answers: Readonly<Record<string, unknown>> = {
  '/v2/events': { data: [event], pagination: {} },
  '/v2/webhook-endpoints': { data: [1, 2].map(() => ({ id: hostile, url: hostile })) },
  '/v2/webhook-endpoints/one/deliveries': { data: [attempt] },
  '/v2/webhook-endpoints/one/rotate-secret': { data: { secret: hostile } },
  '/v2/webhook-endpoints/one/replay': { data: { replayed: hostile } },
  '/v2/certifications/one': { data: certification },
  '/v2/limits': { data: limits },
  '/v2/sync/products': { data: { job_id: 'one', success_items: 1, errors: [fault], changes: [change] } },
  '/v2/sync/jobs/one': {
    data: { status: 'failed', success_items: 0, failed_items: 9, errors: [], ids: [], error: hostile },
  },
  '/v2/orders': { data: [order], pagination: { limit: 200, next: hostile } },
  '/v2/products': {
    data: [{ id: hostile, external_id: hostile }],
    pagination: { limit: 1, offset: 0, total: 1 },
  },
  '/mcp': { jsonrpc: '2.0', id: hostile, error: { code: 1, message: hostile } },
  '/openapi-v2.json': { webhooks: { [hostile]: {} } },
};

const tool = useDownload(api);
const server = useClosed(() =>
  listening((request, response) => {
    request.resume();
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    if (pathname === '/hook') return response.end(hostile);
    const body = answers[pathname];
    response.statusCode = body === undefined ? 422 : 200;
    response.end(JSON.stringify(body ?? { error: { code: 'validation_error', message: hostile } }));
  }),
);
const hook = () => `${server.url}/hook`;
beforeAll(() => {
  const table = [
    `external_id,name,price,${hostile.replaceAll(/[",\n\r\0]/g, '')}`,
    'A,"x\u001b[2J",1,2',
    `"${marks}",b,${typed},`,
  ];
  tool.save('products.csv', table.join('\n').replaceAll('\0', ''));
});

/** No argument of a process holds a NUL or half a pair. */
const typed = `x${controls.slice(1).join('')}`;
const moment = ['--since', '2026-01-31T00:00:00Z', '--once'];

/** How each command is run. */
const words: Readonly<Record<keyof typeof commands, () => (readonly string[])[]>> = {
  listen: () => [
    ['--forward-to', hook(), '--verbose', ...moment],
    ['--forward-to', typed],
  ],
  trigger: () => [
    ['order.created', '--to', hook(), '--verbose'],
    [typed, '--to', hook()],
  ],
  'events tail': () => [moment, [...moment, '--json'], ['--since', typed]],
  'deliveries list': () => [['one'], ['one', '--json'], [], [typed]],
  'deliveries replay': () => [
    ['one', '--since', '1h'],
    ['--since', '1h'],
    [typed, '--since', '1h'],
  ],
  'webhooks rotate': () => [['one'], ['one', '--expire-previous'], [], [typed]],
  verify: () => [
    [
      '--secret',
      'whsec_AAAA',
      '--body',
      typed,
      '--header',
      `webhook-id: ${typed}`,
      '--header',
      'webhook-timestamp: 1',
    ],
    ['--secret', 'whsec_AAAA', '--body', `@${typed}`],
  ],
  certify: () => [
    ['--follow', 'one'],
    ['--follow', 'one', '--json'],
    ['--follow', typed],
  ],
  push: () => [
    ['products.csv', '--dry-run'],
    ['products.csv', '--yes'],
    ['products.csv', '--yes', '--as', 'stock'],
    ['products.csv', '--yes', '--map', `${typed}=sku`],
    [`products${typed}.csv`, '--yes'],
  ],
  'pull orders': () => [
    ['--since', '1h', '--csv'],
    ['--since', '1h', '--raw'],
    ['--since', '1h', '--out', 'orders.csv'],
    ['--since', typed],
  ],
  mcp: () => [[], ['--url', typed]],
};

/** What is on standard input: a message, which `mcp` carries and no other command reads. */
const input = `${JSON.stringify({ jsonrpc: '2.0', id: hostile, method: hostile, params: { name: hostile } })}\n`;

it('every command is run', () => {
  expect(Object.keys(words).sort()).toEqual(Object.keys(commands).sort());
});

describe.each(Object.entries(words))('comanda.mjs %s', (name, calls) => {
  it('prints no control of what the service, the receiver or the command line says', async () => {
    for (const argv of [...calls(), [`--${typed}`], [typed, typed]]) {
      const { stdout, stderr } = await tool.run([...name.split(' '), ...argv], {
        env: { COMANDA_URL: server.url },
        input,
      });
      // Rows of a table end as RFC 4180 says.
      const lines = name === 'pull orders' ? stdout.replaceAll('\r\n', '\n') : stdout;
      expect({ argv, stdout: controlsIn(lines), stderr: controlsIn(stderr) }).toEqual({
        argv,
        stdout: [],
        stderr: [],
      });
      if (argv.includes('--json'))
        for (const line of name === 'certify' ? [stdout] : stdout.trimEnd().split('\n')) JSON.parse(line);
    }
  });
});

it('prints what was said as codes', async () => {
  const { stdout } = await tool.run(['certify', '--follow', 'one', '--json'], {
    env: { COMANDA_URL: server.url },
  });
  expect(JSON.parse(stdout)).toEqual(certification);
  const tail = await tool.run(['events', 'tail', ...moment, '--json'], { env: { COMANDA_URL: server.url } });
  expect(JSON.parse(tail.stdout)).toEqual(event);
  expect(tail.stdout).toContain(codeOf('\u009b'));
});

it('a file of orders gives no terminal an order, and no spreadsheet a formula', async () => {
  await tool.run(['pull', 'orders', '--since', '1h', '--out', 'orders.csv'], {
    env: { COMANDA_URL: server.url },
  });
  const text = tool.load('orders.csv');
  expect(controlsIn(text.replaceAll('\r\n', '\n'))).toEqual([]);
  expect(text).toContain(codeOf('\u009b'));
});

it('the report of a certification holds no line and no Markdown that a name brings along', async () => {
  const { stdout } = await tool.run(['certify', '--follow', 'one'], { env: { COMANDA_URL: server.url } });
  const lines = stdout.split('\n');
  expect(lines.filter((line) => /^\*\*passed|^# <b>/.test(line))).toEqual([]);
  expect(lines.filter((line) => line.startsWith('#'))).toHaveLength(4);
  expect(stdout.replaceAll(/\\[*<>[\]`]/g, '')).not.toMatch(/<b>|\[here\]|`x`|(?<!^)\*\*(?!: )/m);
});

it('comanda.py raises errors that can be printed', async () => {
  const folder = join(tool.folder, 'python');
  mkdirSync(folder);
  const program = [
    'from comanda import Comanda, ComandaError',
    `comanda = Comanda(${JSON.stringify(server.url)}, key="k", tries=1)`,
    'try:',
    '    comanda.get("/v2/turns")',
    'except ComandaError as error:',
    '    print(error)',
    '    assert "\\u202e" in error.message',
    'comanda.get("/v2/turns")',
  ];
  writeFileSync(join(folder, 'try.py'), program.join('\n'));
  const { stdout, stderr, code } = await promisify(execFile)('python3', ['-B', join(folder, 'try.py')], {
    env: { PATH: process.env.PATH, PYTHONPATH: join(repositoryRoot, 'dist/docs') },
  }).then(
    (ended) => ({ ...ended, code: 0 }),
    (error: { stdout: string; stderr: string; code: number | string }) => error,
  );
  if (code === 'ENOENT') return console.warn('Python is not on this machine: comanda.py is not run.');
  expect([controlsIn(stdout), controlsIn(stderr)]).toEqual([[], []]);
  expect(stdout).toContain(codeOf('\u202e'));
  expect(stderr).toContain('ComandaError: 422');
});
