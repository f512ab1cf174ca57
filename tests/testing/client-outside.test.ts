import { execFile } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventTypes } from '@comanda/api/services';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import type { Surroundings } from '../client/consumer.ts';
import { buildInto, call, compile, install, linkPeers, makeFolder } from '../client/outside.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { operations } from '../support/documented.ts';
import { wrongPrograms } from '../support/programs.ts';

// The compiler runs seven times: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const built = makeFolder();
const outside = makeFolder();
const beside = makeFolder();
let api: TestApi;

beforeAll(async () => {
  [api] = await Promise.all([startTestApi(), buildInto(built)]);
  await install(built, outside);
});

afterAll(async () => {
  for (const folder of [built, outside, beside]) rmSync(folder, { recursive: true, force: true });
  await api.close();
});

/** Programs that must not compile. */
const wrong = wrongPrograms({
  'an unknown resource': `client.dishes.list.query({}); // 'dishes' does not exist`,
  'an unknown operation': `client.orders.fetch.query({ id: '' }); // 'fetch' does not exist`,
  'a mutation as a query': `client.orders.create.query(order); // 'query' does not exist`,
  'an order without an idempotency key': `const { idempotencyKey: _, ...rest } = order; client.orders.create.mutate(rest); // 'idempotencyKey' is missing`,
  'a quantity as text': `client.orders.create.mutate({ ...order, items: [{ product_id: '', quantity: '2' }] }); // 'string' is not assignable to type 'number'`,
  'an unknown status': `client.orders.updateStatus.mutate({ id: '', status: 'gone' }); // '"gone"' is not assignable`,
  'a misspelled filter': `client.products.list.query({ serach: '' }); // 'serach' does not exist`,
  'a call without its input': `client.orders.get.query(); // Expected 1-2 arguments`,
  'an unknown field of the answer': `(await client.orders.get.query({ id: '' })).color; // 'color' does not exist`,
  'an optional field taken for granted': `(await client.orders.get.query({ id: '' })).external_id.length; // possibly 'undefined'`,
  'a client without a key': `createClient({ url: '' }); // 'key' is missing`,
  'an unknown error code': `comandaError(0)?.code === 'not_found'; // have no overlap`,
  'an unknown event type': `event.type === 'order.deleted'; // have no overlap`,
  "another event's data": `if (event.type === 'product.updated') event.data.previous_status; // 'previous_status' does not exist`,
});

describe('outside of the workspace, with nothing but its peers, the built client', () => {
  it('compiles strictly with the declarations of its peers checked too, and does the main job', async () => {
    copyFileSync(join(repositoryRoot, 'tests/client/consumer.ts'), join(outside, 'consumer.ts'));
    expect(await compile(outside, ['consumer.ts'])).toEqual([]);
    expect(
      await compile(outside, ['consumer.ts'], {
        module: 'esnext',
        moduleResolution: 'bundler',
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        verbatimModuleSyntax: true,
      }),
    ).toEqual([]);

    const body = JSON.stringify({
      id: 'evt-1',
      type: 'order.status_changed',
      api_version: 'v2',
      created_at: '2026-01-31T21:05:09.120-03:00',
      location_id: 'loc-1',
      data: { id: 'ord-1', previous_status: 'pending', status: 'ready' },
    });
    const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, no').toString('base64')}`;
    const now = new Date();
    const surroundings: Surroundings = {
      url: api.url,
      key: api.key.key,
      paymentMethodId: await api.make.paymentMethod(),
      delivery: {
        secret,
        body,
        headers: {
          'webhook-id': 'evt-1',
          'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
          'webhook-signature': new Webhook(secret).sign('evt-1', now, body),
        },
      },
    };
    expect(await call(outside, './out/consumer.js', 'work', surroundings)).toEqual({
      found: ['Flat White 12.50'],
      total: 1,
      order: { number: 1, status: 'pending', total: 25 },
      isReplayed: true,
      refusals: ['404 resource_not_found', '409 conflict', '422 validation_error', '401 unauthorized'],
      reasons: ['not_found', 'idempotency_key_reused', 'invalid_field items', 'key_not_valid'],
      isTraceable: true,
      event: 'order ord-1: pending → ready',
      forged: 'altered_body',
    });
  });

  it('does not compile what is wrong', async () => {
    const lines = [
      `import { type ComandaClient, type ComandaEvent, comandaError, createClient, type OrderCreate } from '@comanda/client';`,
      'declare const client: ComandaClient; declare const event: ComandaEvent; declare const order: OrderCreate;',
      ...wrong.map(([, code], index) => `export async function f${index}() { ${code} }`),
    ];
    writeFileSync(join(outside, 'wrong.ts'), lines.join('\n'));
    const complaints = await compile(outside, ['wrong.ts'], { noEmit: true });
    const found = wrong.map(([name], index) => [
      name,
      complaints.filter(({ line }) => line === index + 3).map(({ text }) => text),
    ]);
    expect(found).toEqual(wrong.map(([name, , text]) => [name, [expect.stringMatching(text)]]));
    expect(complaints).toHaveLength(wrong.length);
  });

  it('is required by CommonJS under nodenext and node20, and node16 refuses it, as its README says', async () => {
    writeFileSync(
      join(outside, 'required.cts'),
      `import { comandaError, createClient } from '@comanda/client';
      import { verifyWebhook } from '@comanda/client/webhooks';
      export async function ask({ url, key }: { url: string; key: string }) {
        const comanda = createClient({ url, key });
        const refused = await comanda.orders.get.query({ id: 'nothing' }).catch(comandaError);
        return [typeof verifyWebhook, refused !== undefined && 'code' in refused && refused.code];
      }`,
    );
    const complaints = await compile(outside, ['required.cts'], { module: 'node16', noEmit: true });
    expect(complaints.map(({ text }) => text.slice(0, 6))).toEqual(['TS1479', 'TS1479']);
    for (const module of ['node20', 'nodenext'])
      expect(await compile(outside, ['required.cts'], { module })).toEqual([]);
    expect(readFileSync(join(outside, 'out/required.cjs'), 'utf8')).toContain('require("@comanda/client")');
    const answer = await call(outside, './out/required.cjs', 'ask', { url: api.url, key: api.key.key });
    expect(answer).toEqual(['function', 'resource_not_found']);
  });

  it('is not what npm would pack of its source', async () => {
    const cwd = join(repositoryRoot, 'packages/client');
    const packing = promisify(execFile)('npm', ['pack', '--dry-run'], { cwd });
    await expect(packing).rejects.toThrow(/npm run client:pack/);
  });

  it('holds a bundle for each entry with its declarations and its texts, and imports its peers alone', () => {
    const folder = join(outside, 'node_modules/@comanda/client');
    const entries = ['front', 'front-node', 'index', 'live', 'react', 'shared', 'trpc', 'webhooks'];
    expect(readdirSync(folder).sort()).toEqual(
      [
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'package.json',
        'shapes.d.ts',
        ...entries.flatMap((name) => [`${name}.d.ts`, `${name}.js`]),
      ].sort(),
    );
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    const namesIn = (text: string) =>
      [...text.matchAll(/^(?:import|export|\}).* from ["'](.+)["'];$|\b(?:import|require)\(["'](.+)["']\)/gm)]
        .map(([, from, called]) => from ?? called)
        .filter((name, index, names) => names.indexOf(name) === index)
        .sort();
    const declarations = [...entries, 'shapes'].map((name) => `${name}.d.ts`);
    const scripts = entries.map((name) => `${name}.js`);
    const importsOf = (names: string[]) =>
      Object.fromEntries(
        names.map((name) => [name, namesIn(read(name))]).filter(([, taken]) => taken?.length),
      );
    expect(importsOf(scripts)).toEqual({
      'index.js': ['@trpc/client', '@trpc/server/observable'],
      'live.js': ['./index.js', './shared.js'],
      'react.js': ['./live.js', 'react'],
      'shared.js': ['@trpc/client'],
    });
    expect(importsOf(declarations)).toEqual({
      'front-node.d.ts': ['./front.js', './shapes.js', 'node:http'],
      'front.d.ts': ['./index.js', './shapes.js'],
      'index.d.ts': ['./shapes.js'],
      'live.d.ts': ['./index.js', './shapes.js'],
      'react.d.ts': ['./index.js', './live.js', './shapes.js'],
      'shared.d.ts': ['./index.js', './shapes.js'],
      'trpc.d.ts': ['./index.js', './shapes.js', '@trpc/client'],
      'webhooks.d.ts': ['./shapes.js'],
    });
    for (const name of [...scripts, ...declarations]) {
      expect(read(name)).not.toMatch(
        /\b(zod|prisma|pino)\b|['"]express['"]|@comanda\/(api|db)|node_modules/i,
      );
    }
    const { dependencies, peerDependencies, private: isPrivate } = JSON.parse(read('package.json'));
    expect([dependencies, isPrivate]).toEqual([undefined, undefined]);
    expect(Object.keys(peerDependencies)).toEqual(['@trpc/client', '@trpc/server', 'react']);
  });
});

it('the flat declarations are those of the router, operation by operation and event by event', async () => {
  linkPeers(beside);
  copyFileSync(join(built, 'index.d.ts'), join(beside, 'built.d.ts'));
  copyFileSync(join(built, 'shapes.d.ts'), join(beside, 'shapes.d.ts'));
  const surface = join(repositoryRoot, 'packages/client/src/surface.ts');
  const head = [
    `import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';`,
    `import type * as Built from './built.js';`,
    `import type * as Source from ${JSON.stringify(surface)};`,
    `type Plain<T> = T extends object ? { [K in keyof T]: Plain<T[K]> } : T;`,
    `type Same<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends (<T>() => T extends Plain<B> ? 1 : 2) ? true : false;`,
    ...['In', 'Out'].map((way) => {
      const infer = `inferRouter${way}puts`;
      return `type B${way} = ${infer}<Built.AppRouter>; type S${way} = ${infer}<Source.AppRouter>;`;
    }),
  ];
  const operationPairs = operations.flatMap(({ name }) => {
    const path = name
      .split('.')
      .map((part) => `['${part}']`)
      .join('');
    return [`BIn${path}, SIn${path}`, `BOut${path}, SOut${path}`];
  });
  const pairs = [
    ...operationPairs,
    'keyof BIn, keyof SIn',
    'keyof Built.EventData, keyof Source.EventData',
    ...eventTypes.map((type) => `Built.EventData['${type}'], Source.EventData['${type}']`),
    'Built.ErrorCode, Source.ErrorCode',
    'Built.ErrorReason, Source.ErrorReason',
    'Built.ErrorData, Source.ErrorData',
    'Built.Permission, Source.Permission',
    'Built.Grant, Source.Grant',
    'Built.ErrorDetails, Source.ErrorDetails',
    'Built.Included, Source.Included',
  ];
  const difference = `BIn['orders']['create'], SIn['orders']['cancel']`;
  const checks = [...pairs, difference].map((pair, index) => `export const c${index}: Same<${pair}> = true;`);
  writeFileSync(join(beside, 'same.ts'), [...head, ...checks].join('\n'));
  const complaints = await compile(beside, ['same.ts'], {
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    noEmit: true,
    rootDir: '/',
    skipLibCheck: true,
  });
  const unequal = complaints
    .filter(({ file }) => file === 'same.ts')
    .map(({ line, text }) => [...pairs, difference][line - head.length - 1] ?? text);
  expect(unequal).toEqual([difference]);
});
