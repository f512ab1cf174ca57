import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from './outside.ts';

/** Of a fresh project for a browser: neither Node's types nor tRPC's are there, and every declaration is checked. */
export const browserProject = {
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'es2022',
  lib: ['es2022', 'dom'],
  types: [],
  skipLibCheck: false,
  noEmit: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
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

/**
 * Compiles each program as a function of one file in `folder`. Returns the complaints, each with the index of its program (below zero
 * for the imports) and its file.
 */
export async function complaintsOf(
  folder: string,
  file: string,
  programs: readonly string[],
  compiler?: string,
) {
  const functions = programs.map(
    (code, index) => `export async function f${index}() { ${code.replaceAll('\n', ' ')} }`,
  );
  writeFileSync(join(folder, file), [...head, ...functions].join('\n'));
  const complaints = await compile(folder, [file], browserProject, compiler);
  return complaints.map(({ line, text, ...at }) => ({ ...at, index: line - head.length - 1, text }));
}
