import { repositoryRoot } from '@comanda/db';
import { describe, expect, test, vi } from 'vitest';
import { errorsPage } from '../../packages/api/src/documents/site/errors-page.ts';
import { unlike } from '../contract/documented-examples.ts';
import { callRest } from '../support/api.ts';
import { forDemo, useDemo } from '../support/demo.ts';
import { run } from '../support/runtimes.ts';
import { type Exchange, exchangesOf, guideBlocks } from './guide-blocks.ts';

// The operator's commands are processes of their own.
vi.setConfig({ testTimeout: 120_000 });

const blocks = guideBlocks();
const guidesWith = (kind: string) => [
  ...new Set(blocks.filter((block) => block.kind === kind).map(({ guide }) => guide)),
];
const codesOf = (guide: string, kind: string) =>
  blocks.filter((block) => block.guide === guide && block.kind === kind).map(({ code }) => code);

const demo = useDemo();

describe('the lines for a shell are answered without an error, in', () => {
  test.each(guidesWith('sh'))('%s', async (guide) => {
    const script = codesOf(guide, 'sh').join('\necho\n');
    const env = { COMANDA_URL: demo.url, COMANDA_KEY: demo.key };
    const { code, stdout, stderr } = await run('bash', ['-e', '-o', 'pipefail', '-c', script], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const answers = stdout.match(/^.*\{".*$/gm) ?? [];
    expect(stdout.trim()).not.toBe('');
    for (const answer of answers) expect(answer).toMatch(/^(\{"data":.*\})+$/);
  });
});

describe("the operator's commands make a key that works, in", () => {
  test.each(guidesWith('sh operator'))('%s', async (guide) => {
    for (const script of codesOf(guide, 'sh operator')) {
      const env = { DATABASE_URL: demo.databaseUrl };
      const { code, stdout, stderr } = await run('bash', ['-e', '-o', 'pipefail', '-c', script], {
        env,
        cwd: repositoryRoot,
      });
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const [, key = ''] = /^key +(\S+)$/m.exec(stdout) ?? [];
      expect((await callRest(demo.url, 'GET /v2/limits', { key })).status, stdout).toBe(200);
    }
  });
});

describe('the requests are answered as promised, in', () => {
  test.each(guidesWith('http'))('%s', async (guide) => {
    const known: Record<string, string> = {};
    for (const exchange of codesOf(guide, 'http').flatMap(exchangesOf)) await play(exchange, known);
  });
});

test('the error that the page of errors shows is as a real one', async () => {
  const [, shown = ''] = /^```json\n([\s\S]*?)^```$/m.exec(errorsPage([])) ?? [];
  const body = { items: [{ product_id: '', quantity: 0 }] };
  const answer = await callRest(demo.url, 'POST /v2/orders/quote', { key: demo.key, body });
  expect(answer.status).toBe(422);
  expect(unlike(JSON.parse(shown), [answer.body])).toEqual([]);
});

/** Sends a request; `<next>` in its path or headers is what an answer before had as `next`. Holds the answer to what is promised. */
async function play({ method, path, headers, body, promised }: Exchange, known: Record<string, string>) {
  const filled = (text: string) =>
    text.replace(/<(\w+)>/g, (_, name: string) => known[name] ?? `no ${name} was answered`);
  const route = `${method} ${filled(path)}`;
  const answer = await callRest<{ data: object; pagination?: object }>(demo.url, route, {
    key: demo.key,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)])),
    ...(body !== undefined && { body: JSON.parse(forDemo(JSON.stringify(body), demo)) as unknown }),
  });
  expect({ route, status: answer.status, text: answer.text }).toEqual({
    route,
    status: promised?.status ?? 200,
    text: answer.text,
  });
  for (const [name, value] of Object.entries(promised?.headers ?? {})) {
    const pattern = value.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    expect(answer.headers.get(name)).toMatch(new RegExp(`^${pattern.join('.+')}$`));
  }
  if (promised?.body !== undefined) expect(unlike(promised.body, [answer.body])).toEqual([]);
  const etag = answer.headers.get('etag');
  for (const [name, value] of Object.entries({ etag, ...answer.body.data, ...answer.body.pagination }))
    if (typeof value === 'string') known[name] = value;
}
