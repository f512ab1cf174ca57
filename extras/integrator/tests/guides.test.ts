import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '@comanda/db';
import { expect, test } from 'vitest';
import { useConsumer } from '../../../tests/support/consumer.ts';
import { createOrderKitchen, postOrder } from '../../../tests/support/orders.ts';
import { usePublishingApi } from '../../../tests/support/published.ts';
import { commands } from '../src/commands.ts';
import { download } from './comanda-mjs.ts';

const api = usePublishingApi();
const receiver = useConsumer();

/** The blocks of a guide in one language, in their order. */
function blocksOf(guide: string, language: string): string[] {
  const text = readFileSync(join(repositoryRoot, 'docs/guides', guide), 'utf8');
  const found = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))];
  return found.map(([, code = '']) => code);
}

/** Runs what a reader would paste, in a folder, with the two settings of the guides. */
async function paste(folder: string, program: string, script: string, { key } = api.key): Promise<string> {
  const { PATH } = process.env;
  const env = { PATH, COMANDA_URL: api.url, COMANDA_KEY: key };
  const words = program === 'bash' ? ['-e', '-c', script] : ['-c', script];
  const { stdout } = await promisify(execFile)(program, words, { cwd: folder, env }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

test('the guide of comanda.mjs does what it says, block by block', async () => {
  const { folder } = await download(api);
  const locationId = await api.make.location();
  const own = await api.make.key({ locationId });
  const { key } = own;
  const kitchen = await createOrderKitchen(api, locationId);
  const blocks = blocksOf('comanda-mjs.md', 'sh').map((block) =>
    block.replaceAll('http://localhost:4000/hook', receiver.url),
  );
  expect(blocks).toHaveLength(6);
  const [get = '', trigger = '', listen = '', tail = '', deliveries = '', verify = ''] = blocks;
  expect(await paste(folder, 'bash', get, own)).toBe('comanda.mjs: OK\n');
  expect(await paste(folder, 'bash', trigger, own)).toMatch(
    /^signed with whsec_\S+\norder\.created .* 200 {2}\d+ ms\n$/,
  );

  await paste(folder, 'bash', `${listen.trim()} --once`, own);
  await api.rest('POST /v2/orders', { key, body: kitchen.body(), headers: { 'idempotency-key': 'guide' } });
  await api.published();
  const listened = await paste(folder, 'bash', `${listen.trim()} --once`, own);
  expect(listened).toMatch(/\norder\.created .* 200 .*\npayment\.created .* 200 .*\n$/);

  expect(await paste(folder, 'bash', tail, own)).toMatch(/^\S+ {2}order\.created {9}\S+ {2}\{.*…\n$/);
  await api.rest('POST /v2/webhook-endpoints', {
    key,
    body: { url: receiver.url, events: ['order.created'] },
  });
  expect(await paste(folder, 'bash', deliveries, own)).toMatch(/^none\n0 on their way again\n$/);

  const { headers, text } = receiver.received.at(-1) ?? { headers: {}, text: '' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  writeFileSync(join(folder, 'headers.txt'), lines.join('\n'));
  writeFileSync(join(folder, 'body.json'), text);
  expect(await paste(folder, 'bash', verify, own)).toMatch(/^right: /);
});

/** Without the parts that differ from run to run. */
const unlike = (text: string) =>
  text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g, '<moment>')
    .replaceAll('\r\n', '\n');

test('the guide of files does what it says, and prints what it shows', async () => {
  const { folder } = await download(api);
  const locationId = await api.make.location();
  const key = await api.make.key({ locationId });
  const scripts = blocksOf('files.md', 'sh');
  const printed = blocksOf('files.md', 'text');
  expect(scripts).toHaveLength(6);
  for (const [index, script] of scripts.entries()) {
    if (script.includes('pull orders')) await orderCoffee(locationId, key.key);
    const shown = await paste(folder, 'bash', `exec 2>&1\n${script}`, key);
    expect(unlike(shown)).toBe(unlike(printed[index] ?? ''));
  }
});

/** The order of the guide: two of what it brought. */
async function orderCoffee(locationId: string, key: string): Promise<void> {
  const kitchen = await createOrderKitchen(api, locationId);
  const { body } = await api.rest<{ data: { id: string } }>('GET /v2/products/by-external-id/A-100', { key });
  const items = [{ product_id: body.data.id, quantity: 2 }];
  const order = kitchen.body({ external_id: 'POS-1', items });
  expect((await postOrder(api, order, { key })).status).toBe(201);
}

const hasPython =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
if (!hasPython)
  console.warn(
    'Python 3.9 or newer is not on this machine (Debian: python3): the guide of comanda.py is not run.',
  );

test.each(hasPython ? ['python3'] : [])(
  'the guide of comanda.py does what it says, by %s',
  async (python) => {
    const { folder } = await download(api);
    await createOrderKitchen(api);
    const [get = ''] = blocksOf('python.md', 'sh');
    expect(await paste(folder, 'bash', get)).toBe('comanda.py: OK\n');
    const blocks = blocksOf('python.md', 'python');
    expect(blocks).toHaveLength(6);
    const [start = '', ...others] = blocks;
    const program = [
      start,
      'import time; cursor_of_feed = comanda.request("GET", "/v2/events", after="latest").body["pagination"]["next"]',
      ...others.slice(0, 3),
      'while not any(e["type"] == "order.updated" for e in comanda.events(after=cursor_of_feed)): time.sleep(0.1)',
      ...others.slice(3),
      'os.environ["COMANDA_SECRET"] = "whsec_AAAA"; print(receive({}, b""))',
    ];
    const said = await paste(folder, python, program.join('\n'));
    expect(said).toMatch(/^\d+ ready \d+\n422 validation_error invalid_field \S+\n( {2}\S+ .+\n)+\d+ \S+\n/);
    expect(said).toMatch(/order\.created \d+\norder\.updated \d+\nmissing_header .*\n400\n$/);
  },
);

test('the guide of comanda.mjs leaves out no command', () => {
  const guide = readFileSync(join(repositoryRoot, 'docs/guides/comanda-mjs.md'), 'utf8');
  for (const name of Object.keys(commands)) expect(guide).toContain(`node comanda.mjs ${name}`);
});
