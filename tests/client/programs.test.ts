import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildInto, compile, makeFolder, unpackInto } from './outside.ts';
import { right, wrong } from './programs.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const built = makeFolder();
const page = makeFolder();

beforeAll(async () => {
  await buildInto(built);
  await unpackInto(built, page);
});
afterAll(() => {
  for (const folder of [built, page]) rmSync(folder, { recursive: true, force: true });
});

/** Of a fresh project for a browser: neither Node's types nor tRPC's are there, and every declaration is checked. */
const browser = {
  ...{ module: 'esnext', moduleResolution: 'bundler', target: 'es2022', lib: ['es2022', 'dom'] },
  ...{ types: [], skipLibCheck: false, noEmit: true },
  ...{ noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
};

const imports = [
  'type ComandaClient, type ComandaError, type Deletion, type Order, type OrderCreate, type OrderListInput, type OrderStatus',
  'comandaError, createClient, followEvents, listAll, noAnswer',
];
const head = [
  `import { ${imports.join(', ')} } from '@comanda/client';`,
  `import { watchShared } from '@comanda/client/shared'; import { verifyWebhook } from '@comanda/client/webhooks';`,
  `declare const comanda: ComandaClient; declare const order: OrderCreate; declare const keyless: Omit<OrderCreate, 'idempotencyKey'>;`,
  'export type Named = [ComandaError, Deletion, Order, OrderListInput, OrderStatus];',
  'export const named = [comandaError, createClient, followEvents, listAll, noAnswer, watchShared, verifyWebhook, comanda, order, keyless];',
];

async function complaintsOf(file: string, programs: readonly string[]) {
  const functions = programs.map(
    (code, index) => `export async function f${index}() { ${code.replaceAll('\n', ' ')} }`,
  );
  writeFileSync(join(page, file), [...head, ...functions].join('\n'));
  const complaints = await compile(page, [file], browser);
  return complaints.map(({ line, text, ...at }) => ({ ...at, index: line - head.length - 1, text }));
}

describe('in a browser project without the types of Node and of tRPC', () => {
  it('what is right compiles', async () => {
    const complaints = await complaintsOf('right.ts', Object.values(right));
    expect(complaints.map(({ index, text }) => [Object.keys(right)[index], text])).toEqual([]);
  });

  it('what is wrong does not, and is named', async () => {
    const complaints = await complaintsOf(
      'wrong.ts',
      wrong.map(([, code]) => code),
    );
    const found = wrong.map(([name], index) => [
      name,
      complaints.filter((complaint) => complaint.index === index).map(({ text }) => text),
    ]);
    expect(found).toEqual(wrong.map(([name, , text]) => [name, [expect.stringMatching(text)]]));
    expect(complaints).toHaveLength(wrong.length);
    expect(wrong.length).toBeGreaterThan(41);
  });
});
