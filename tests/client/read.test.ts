import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript-5';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { operations } from '../support/documented.ts';
import { compile, install, usePublished } from './outside.ts';

// The client is built, and the compiler reads it four times.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const outside = usePublished(install);
const declarations = (name: string) =>
  readFileSync(join(outside, 'node_modules/@comanda/client', name), 'utf8');

/** As strict as the compiler gets. */
const strictest = {
  module: 'esnext',
  moduleResolution: 'bundler',
  noEmit: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
};

const client = `import('@comanda/client')`;
/** The values that a sample takes from the reader's own program. */
const surroundings: Readonly<Record<string, string>> = {
  process: '{ env: Record<string, string | undefined> }',
  comanda: `${client}.ComandaClient`,
  createClient: `typeof ${client}.createClient`,
  url: 'string',
  key: 'string',
  secret: 'string',
  request: 'Request',
  error: 'unknown',
  orderId: 'string',
  locationId: 'string',
  userId: 'string',
  signOutWhenRevoked: '(error: unknown) => void',
  draw: '(shown: unknown) => void',
  signOutButton: '{ onclick: () => void }',
  show: '(text: string) => void',
  paymentMethodId: 'string',
  input: `${client}.OrderCreate`,
  mark: '(path: string, message: string) => void',
  loadCursor: '() => Promise<string | undefined>',
  saveCursor: '(cursor: string) => Promise<void>',
  printTicket: `(order: ${client}.Order) => Promise<void>`,
  isSignedIn: '(cookie: string | null) => Promise<boolean>',
  accessOf: `(cookie: string | null) => import('@comanda/client/front').FrontAccess | undefined`,
  app: '{ all(path: string, answer: (context: { req: { raw: Request } }) => Promise<Response>): void }',
};

/** A sample as a module: what it neither declares nor imports is there. */
function moduleOf(sample: string): string {
  const isOwn = (name: string) =>
    new RegExp(`\\b(const|let|function) ${name}\\b|import \\{[^}]*\\b${name}\\b`).test(sample);
  const given = Object.entries(surroundings).filter(([name]) => !isOwn(name));
  return [...given.map(([name, type]) => `declare const ${name}: ${type};`), sample, 'export {};'].join('\n');
}

function samplesIn(text: string): string[] {
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, sample = '']) => sample);
}

function examplesIn(text: string): string[] {
  return [...text.matchAll(/@example\n([\s\S]*?)\n *\*\//g)].map(([, lines = '']) =>
    lines.replaceAll(/^ *\* ?/gm, ''),
  );
}

describe('what the client says of itself compiles, as strictly as can be:', () => {
  it('the samples of its README', async () => {
    const samples = samplesIn(readFileSync(join(repositoryRoot, 'packages/client/README.md'), 'utf8'));
    expect(samples.length).toBeGreaterThan(4);
    const files = samples.map((sample, index) => {
      writeFileSync(join(outside, `sample-${index}.ts`), moduleOf(sample));
      return `sample-${index}.ts`;
    });
    expect(await compile(outside, files, strictest)).toEqual([]);
  });

  it('the example of every operation, and of every function', async () => {
    const examples = ['index', 'front', 'live', 'shared', 'trpc', 'webhooks'].flatMap((name) =>
      examplesIn(declarations(`${name}.d.ts`)),
    );
    expect(examples.length).toBeGreaterThan(operations.length);
    const named = (name: string) =>
      [...declarations(name).matchAll(/^declare function (\w+)/gm)].map(([, found]) => found).join(', ');
    const head = [
      `import { ${named('index.d.ts')}, type EventType } from '@comanda/client';`,
      `import { ${named('front.d.ts')} } from '@comanda/client/front';`,
      `import { ${named('live.d.ts')} } from '@comanda/client/live';`,
      `import { ${named('shared.d.ts')} } from '@comanda/client/shared';`,
      `import { ${named('trpc.d.ts')} } from '@comanda/client/trpc';`,
      `import { ${named('webhooks.d.ts')} } from '@comanda/client/webhooks';`,
    ];
    const files = examples.map((example, index) => {
      writeFileSync(join(outside, `example-${index}.ts`), moduleOf([...head, example].join('\n')));
      return `example-${index}.ts`;
    });
    expect(await compile(outside, files, strictest)).toEqual([]);
    const called = examples.map((example) => /^await comanda\.([\w.]+)\.(query|mutate)\(/.exec(example)?.[1]);
    expect(operations.map(({ name }) => name).filter((name) => !called.includes(name))).toEqual([]);
  });
});

describe('an editor shows', () => {
  const marked = `
import { comandaError, createClient, followEvents, listAll, type WatchState } from '@comanda/client';
const comanda = createClient({ url: '', key: '' });
export async function work() {
  const made/*made*/ = await comanda.orders.create/*create*/.mutate({
    idempotencyKey: '', external_id: '', is_take_away: true, identifier: '', payment_method_id: '', items: [],
  });
  const payments/*payments*/ = await comanda.payments.list.query();
  const { data: whole/*whole*/ } = await comanda.orders.list.query({ include: ['details', 'items'] });
  const products/*products*/ = await comanda.products.list.query();
  const one/*one*/ = await comanda.orders.get.query({ id: '' });
  const sold/*sold*/ = await comanda.orders.get.query({ id: '', include: ['tax'] });
  const taxed/*taxed*/ = await comanda.products.get.query({ id: '', include: ['tax'] });
  const summaries/*summaries*/ = await comanda.v1.orders.list.query();
  const orders/*orders*/ = await comanda.orders.list.query({ status: maybe(), include: undefined });
  const events/*events*/ = await comanda.events.list.query();
  const [first/*first*/] = events.data;
  for await (const entry/*entry*/ of listAll(comanda.orders.list, { status: 'ready' })) console.log(entry);
  for await (const event/*event*/ of followEvents(comanda)) console.log(event);
  const onState = (state: WatchState) => console.log(state.status);
  for await (const change/*change*/ of comanda.events.watch/*watch*/({ types: ['/*type*/order.created'] }, { onState })) {
    if (change.type === 'order.created') console.log(change.data.total);
  }
  const refusal/*refusal*/ = comandaError(0);
  await comanda.orders.updateStatus.mutate({ id: made.id, status: '/*status*/ready' });
  await comanda.orders.list.query({ /*filter*/ });
  await comanda.orders./*operations*/get.query({ id: made.id });
  return { refusal, payments, whole, products, one, sold, taxed, summaries, orders, first };
}
declare function maybe(): 'ready' | undefined;
`;
  let editor: ReturnType<typeof openEditor>;
  beforeAll(() => {
    editor = openEditor(join(outside, 'edited.ts'), marked);
  });

  it.each([
    ['made', 'const made: Order'],
    ['payments', 'const payments: ChangesPage<Payment>'],
    ['whole', 'const whole: OrderAsSold[]'],
    ['products', 'const products: ChangesPage<Product>'],
    ['one', 'const one: Order'],
    ['sold', 'const sold: OrderAsSold'],
    ['taxed', 'const taxed: ProductRead'],
    ['summaries', 'const summaries: Page<OrderSummary>'],
    ['orders', 'const orders: ChangesPage<OrderListEntry>'],
    ['events', 'const events: EventPage<PublishedEvent>'],
    ['first', 'const first: PublishedEvent | undefined'],
    ['entry', 'const entry: OrderSummary'],
    ['event', 'const event: PublishedEvent'],
    ['change', 'const change: OrderCreatedEvent'],
    ['refusal', 'const refusal: ComandaError<ErrorReason> | undefined'],
  ])('the name of what is in `%s`', (mark, text) => {
    expect(editor.hover(mark).text).toBe(text);
  });

  it('what an operation does, the permission it needs, and an example', () => {
    const { documentation, example } = editor.hover('create');
    expect(documentation).toMatch(/^Create an order\. .* Permission: `orders:write`\.$/);
    expect(example).toContain('await comanda.orders.create.mutate({');
  });

  it('what a watch does, with an example, and the events that it can have', () => {
    const { documentation, example } = editor.hover('watch');
    expect(documentation).toMatch(/^The events of the location as they are published/);
    expect(example).toContain('of comanda.events.watch({');
    expect(editor.completions('type')).toEqual(expect.arrayContaining(['order.created', 'stock.updated']));
  });

  it('what can be written: operations, filters, statuses', () => {
    expect(editor.completions('operations')).toEqual(
      operations
        .filter(({ name }) => name.startsWith('orders.'))
        .map(({ name }) => name.slice(7))
        .sort(),
    );
    expect(editor.completions('filter')).toEqual(expect.arrayContaining(['channel', 'include', 'status']));
    expect(editor.completions('status')).toEqual(['canceled', 'closed', 'ready']);
  });

  it('no fault in it', () => {
    expect(editor.faults()).toEqual([]);
  });
});

/** A file in an editor, and the places in it that `marked` marks by comments, which are not in it. */
function openEditor(path: string, marked: string) {
  const places = new Map<string, number>();
  const text = marked.split(/\/\*(\w+)\*\//).reduce((before, part, index) => {
    if (index % 2 === 0) return before + part;
    places.set(part, before.length);
    return before;
  }, '');
  const settings: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
  };
  writeFileSync(path, text);
  const service = ts.createLanguageService({
    getCompilationSettings: () => settings,
    getScriptFileNames: () => [path],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const content = ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => outside,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  const at = (mark: string) => places.get(mark) ?? expect.fail(`no place is marked ${mark}`);
  return {
    /** Of the name before the mark. */
    hover(mark: string) {
      const info = service.getQuickInfoAtPosition(path, at(mark) - 1);
      return {
        text: ts.displayPartsToString(info?.displayParts),
        documentation: ts.displayPartsToString(info?.documentation),
        example: ts.displayPartsToString(info?.tags?.find(({ name }) => name === 'example')?.text),
      };
    },
    completions(mark: string): string[] {
      const found = service.getCompletionsAtPosition(path, at(mark), {})?.entries ?? [];
      return found.map(({ name }) => name).sort();
    },
    faults: () =>
      [...service.getSyntacticDiagnostics(path), ...service.getSemanticDiagnostics(path)].map(
        ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'),
      ),
  };
}
