import { describe, expect, test } from 'vitest';
import { repositoryRoot } from '../packages/db/src/root.ts';
import {
  type CodeBase,
  importsOf,
  type Manifest,
  type SourceFile,
  violations,
} from './support/architecture.ts';
import { importRules, textRules } from './support/architecture-rules.ts';
import { readCodeBase } from './support/code-base.ts';

test('the code base keeps to its architecture', () => {
  const codeBase = readCodeBase(repositoryRoot);
  expect(codeBase.files.length).toBeGreaterThan(20);
  expect(codeBase.files.flatMap((file) => importsOf(file, codeBase)).length).toBeGreaterThan(100);
  expect(violations(codeBase, importRules, textRules)).toEqual([]);
});

const resource = 'packages/api/src/resources/orders';

describe('a breach is found:', () => {
  test.each([
    ['db on api', 'packages/db/src/a.ts', `import { a } from '@comanda/api';`],
    ['api on worker', 'packages/api/src/a.ts', `import { a } from '@comanda/worker';`],
    ['worker on the whole of api', 'packages/worker/src/a.ts', `import { a } from '@comanda/api';`],
    [
      'worker on what api does not export',
      'packages/worker/src/a.ts',
      `import { a } from '@comanda/api/no';`,
    ],
    ['api on the command line', 'packages/api/src/a.ts', `import { a } from '@comanda/cli';`],
    [
      'worker on api past its exports',
      'packages/worker/src/a.ts',
      `import { a } from '@comanda/api/src/a.ts';`,
    ],
    [
      'the command line on an entrance',
      'packages/cli/src/a.ts',
      `import { a } from '@comanda/api/src/http/server.ts';`,
    ],
    ['client on values of api', 'packages/client/src/a.ts', `import { a } from '@comanda/api';`],
    ['client on db', 'packages/client/src/a.ts', `import type { A } from '@comanda/db';`],
    ['worker on an extra', 'packages/worker/src/a.ts', `import { a } from '@comanda/integrator';`],
    ['a start on an extra', 'scripts/start.mjs', `import { a } from '../extras/integrator/src/a.ts';`],
    [
      'an extra past exports',
      'extras/integrator/src/a.ts',
      `import { a } from '../../../packages/db/src/a.ts';`,
    ],
    [
      'an extra on what is not exported',
      'extras/integrator/src/a.ts',
      `import { a } from '@comanda/client/no';`,
    ],
    ['integrator on all of worker', 'extras/integrator/src/a.ts', `import { a } from '@comanda/worker';`],
    ['integrator on a registry', 'extras/integrator/src/a.ts', `import { z } from 'zod';`],
    [
      'tests of applications on the service',
      'packages/testing/src/a.ts',
      `import { a } from '@comanda/api';`,
    ],
    ['a path into another package', 'packages/api/src/a.ts', `import { a } from '../../db/src/a.ts';`],
    ['a path out of all packages', 'packages/api/src/a.ts', `import { a } from '../../../tests/a.ts';`],
    ['the seed on worker', 'prisma/seed.ts', `import { a } from '../packages/worker/src/a.ts';`],
    ['a dynamic import', 'packages/db/src/a.ts', `const a = await import('@comanda/api');`],
    ['a re-export', 'packages/db/src/a.ts', `export { a } from '@comanda/api';`],
    ['a bare import', 'packages/db/src/a.ts', `import '@comanda/api';`],
    ['an import over lines', 'packages/db/src/a.ts', `import {\n  a,\n  b,\n} from '@comanda/api';`],
    ['an undeclared package', 'packages/db/src/a.ts', `import express from 'express';`],
    ['an undeclared subpath', 'packages/db/src/a.ts', `import a from '@trpc/server/http';`],
    ['a builtin without node:', 'packages/db/src/a.ts', `import fs from 'fs';`],
    ['schema on db', `${resource}/schema.ts`, `import type { A } from '@comanda/db';`],
    ['schema on service', `${resource}/schema.ts`, `import { a } from './service.ts';`],
    ['rules on db', `${resource}/rules.ts`, `import { a } from '@comanda/db';`],
    ['rules on a store', `${resource}/totals.rules.ts`, `import { a } from './store.ts';`],
    ['rules on I/O', `${resource}/rules.ts`, `import { readFileSync } from 'node:fs';`],
    ['rules with a clock', `${resource}/rules.ts`, `const now = Date.now();`],
    ['rules with the date', `${resource}/totals.rules.ts`, `const now = new Date();`],
    ['service on trpc', `${resource}/service.ts`, `import { a } from '../../call/operation.ts';`],
    ['service on a router', `${resource}/sync.service.ts`, `import { a } from './router.ts';`],
    ['service on REST', `${resource}/service.ts`, `import { a } from '../../http/rest/adapter.ts';`],
    [
      'the call on the domain',
      'packages/api/src/call/a.ts',
      `import { a } from '../resources/orders/rules.ts';`,
    ],
    ['the call on an entrance', 'packages/api/src/limits/a.ts', `import { a } from '../http/site.ts';`],
    ['capacity on the call', 'packages/api/src/capacity/a.ts', `import { a } from '../call/batch.ts';`],
    ['router on db', `${resource}/router.ts`, `import { a } from '@comanda/db';`],
    ['router on SQL', `${resource}/router.ts`, `import { a } from './statements.ts';`],
    ['router on a foreign service', `${resource}/router.ts`, `import { a } from '../products/service.ts';`],
    ['a router on a file without a role', `${resource}/router.ts`, `import * as create from './create.ts';`],
    ['a store on a call', `${resource}/store.ts`, `import type { A } from '../../call/context.ts';`],
    ['a store on a service', `${resource}/store.ts`, `import { a } from './service.ts';`],
    ['a file without a role', `${resource}/create.ts`, ''],
    ['a role after a role', `${resource}/list.sql.ts`, ''],
    [
      'a statement in one of several services',
      `${resource}/sync.service.ts`,
      `const a = statement<{ n: number }>('a', 'select 1');`,
    ],
    ['SQL in a store', `${resource}/store.ts`, 'const a = `select id from orders`;'],
    ['a constant in capitals', 'packages/db/src/a.ts', `const MOST_ROWS = 1;`],
    ['a timer that comes again and again', 'packages/db/src/a.ts', 'const timer = setInterval(look, 5);'],
    [
      'a timer that is set again by what it calls',
      'packages/api/src/a.ts',
      'function connect(): void {\n  const lose = () => {\n    setTimeout(connect, 5);\n  };\n  open().catch(lose);\n}',
    ],
    [
      'a wait in a loop',
      'packages/worker/src/a.ts',
      `import { setTimeout as sleep } from 'node:timers/promises';\nfor (;;) {\n  if (await look()) break;\n  await sleep(5);\n}`,
    ],
    [
      'a promise of time in a loop',
      'packages/embedded/src/a.ts',
      'while (lives()) {\n  await new Promise((resolve) => setTimeout(resolve, 5));\n}',
    ],
    ['an SQLSTATE', 'packages/api/src/a.ts', `const gone = /^(23503|23001)$/;`],
    ['a default export', 'packages/db/src/a.ts', `export default 1;`],
    ['a name without an idea', 'packages/db/src/utils.ts', ''],
  ])('%s', (_, path, text) => {
    expect(violations(made({ path, text }), importRules, textRules)).not.toEqual([]);
  });

  test('a circle of three files, and who is in it', () => {
    const circle = made(
      { path: 'packages/db/src/a.ts', text: `import { b } from './b.ts';` },
      { path: 'packages/db/src/b.ts', text: `import { c } from './c.ts';` },
      { path: 'packages/db/src/c.ts', text: `import { a } from './a.ts';` },
    );
    expect(violations(circle, importRules, textRules)).toEqual([
      'packages/db/src/a.ts → packages/db/src/b.ts → packages/db/src/c.ts → packages/db/src/a.ts: import each other in a circle',
    ]);
  });
});

test('files of a package that import each other, be it types', () => {
  const circle = made(
    { path: 'packages/db/src/a.ts', text: `import { b } from './b.ts';` },
    { path: 'packages/db/src/b.ts', text: `import type { A } from './a.ts';` },
  );
  expect(violations(circle, importRules, textRules)).toEqual([
    'packages/db/src/a.ts → packages/db/src/b.ts → packages/db/src/a.ts: import each other in a circle',
  ]);
});

test('folders of the API that import each other, be it types', () => {
  const back = made(
    { path: 'packages/api/src/events.ts', text: `import { a } from './resources/orders/schema.ts';` },
    { path: `${resource}/timeline.schema.ts`, text: `import type { A } from '../../events.ts';` },
  );
  expect(violations(back, importRules, textRules)).toContain(
    'packages/api/src/events.ts → packages/api/src/resources → packages/api/src/events.ts: import each other in a circle',
  );
});

describe('nothing is found in', () => {
  test.each([
    ['api on db', 'packages/api/src/a.ts', `import { a } from '@comanda/db';`],
    ['worker on services', 'packages/worker/src/a.ts', `import { a } from '@comanda/api/services';`],
    [
      'the command line on a store of api',
      'packages/cli/src/a.ts',
      `import { a } from '@comanda/api/src/resources/keys/store.ts';`,
    ],
    ['client on types of api', 'packages/client/src/a.ts', `import type { A } from '@comanda/api';`],
    [
      'schema on wire',
      `${resource}/schema.ts`,
      `import { z } from 'zod';\nimport { a } from '../../wire.ts';`,
    ],
    ['rules on schema', `${resource}/rules.ts`, `import type { A } from './schema.ts';`],
    ['rules that read a date', `${resource}/rules.ts`, `const date = new Date(order.created_at);`],
    ['router on a verb', `${resource}/router.ts`, `import * as create from './create.service.ts';`],
    ['store on the audit', `${resource}/store.ts`, `import { a } from '../../call/audit.ts';`],
    ['rules on foreign rules', `${resource}/rules.ts`, `import { a } from '../bulk/rows.rules.ts';`],
    ['service on another service', `${resource}/service.ts`, `import { a } from '../products/service.ts';`],
    ['router on its service', `${resource}/router.ts`, `import * as orders from './service.ts';`],
    ['a comment', 'packages/db/src/a.ts', `// import { a } from '@comanda/api';\n/** export default */`],
    [
      'a deadline, and what is gathered for a while',
      'packages/api/src/a.ts',
      'function ask(): void {\n  const late = setTimeout(end, 5);\n  end(late);\n}\nfunction note(): void {\n  timer ??= setTimeout(write, 5);\n}\nfor (const one of all) ask();',
    ],
    ['an extra on exports', 'extras/integrator/src/a.ts', `import { a } from '@comanda/client';`],
    ['a configuration', 'vitest.config.ts', `export default {};`],
  ])('%s', (_, path, text) => {
    expect(violations(made({ path, text }), importRules, textRules)).toEqual([]);
  });
});

function made(...files: SourceFile[]): CodeBase {
  const manifest = (name: string, subpaths: string[], dependencies: string[]): Manifest => ({
    name: `@comanda/${name}`,
    exports: Object.fromEntries(subpaths.map((path) => [path, './src/index.ts'])),
    dependencies,
  });
  return {
    files,
    packages: {
      'packages/db': manifest('db', ['.'], ['pg']),
      'packages/api': {
        ...manifest('api', ['.', './services'], ['zod', '@comanda/db', '@trpc/server']),
        exports: { '.': './src/index.ts', './services': './src/services.ts', './src/*': './src/*' },
      },
      'packages/cli': manifest('cli', ['.'], ['@comanda/api']),
      'packages/worker': manifest('worker', ['.'], ['@comanda/db', '@comanda/api']),
      'packages/client': manifest('client', ['.'], ['@comanda/api']),
      'extras/integrator': manifest('integrator', ['.'], ['@comanda/client', '@comanda/worker']),
    },
  };
}
