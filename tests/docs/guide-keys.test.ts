import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { grants } from '../../packages/api/src/permissions.ts';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { operations } from '../support/documented.ts';

const folder = join(repositoryRoot, 'docs/guides');
const guides = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
const textOf = (wanted: string) => guides.find(({ name }) => name === wanted)?.text ?? '';

/** Which operations a guide names, by method and path. */
const namedIn = (text: string) =>
  operations.flatMap(({ name, meta, routes }) =>
    routes
      .filter(({ method, path }) => {
        const pattern = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/\\s"?`]+');
        return new RegExp(
          `${method} ${pattern}(?![\\w/-])|${method === 'GET' ? 'curl -s\\w*' : `-X ${method}`} "\\$COMANDA_URL${pattern}(?![\\w/-])`,
        ).test(text);
      })
      .map((route) => ({ name, permission: meta.permission, call: `${route.method} ${route.path}` })),
  );

/** The permissions of the key that the first command of a guide makes. */
const keyIn = (guide: string): ReadonlySet<string> =>
  new Set(/--permissions '([^']+)'/.exec(textOf(guide))?.[1]?.split(','));

/** For these the operator makes another key, or they are not an ERP's. */
const ofOthers = [
  'sandbox.reset',
  'orders.export',
  'certifications.',
  'locations.update',
  'payments.complete',
  'payments.reject',
  'payments.refund',
  'orders.addPayment',
];

it('the key of an ERP opens every call of the guides', () => {
  const key = keyIn('chain.md');
  const calls = guides.flatMap(({ name: guide, text }) => namedIn(text).map((call) => ({ guide, ...call })));
  expect(new Set(calls.map(({ guide }) => guide)).size).toBeGreaterThan(8);
  expect(
    calls.filter(
      ({ name, permission }) =>
        permission !== null && !grants(key, permission) && !ofOthers.some((other) => name.startsWith(other)),
    ),
  ).toEqual([]);
});

it("the key of the ERP's guide opens every call of that guide", () => {
  const calls = namedIn(textOf('erp.md'));
  expect(calls.length).toBeGreaterThan(7);
  const key = keyIn('erp.md');
  expect(calls.filter(({ permission }) => permission !== null && !grants(key, permission))).toEqual([]);
});

it('the key of the quick start opens every call of the quick start', () => {
  const calls = namedIn(textOf('quick-start.md').split('## Next')[0] ?? '');
  expect(calls.length).toBeGreaterThan(4);
  expect(
    calls.filter(({ permission }) => permission !== null && !grants(keyIn('quick-start.md'), permission)),
  ).toEqual([]);
});

it('guides and README name the service and the key by one pair of variables', () => {
  const readme = readFileSync(join(repositoryRoot, 'README.md'), 'utf8');
  for (const { name, text } of [...guides, { name: 'README.md', text: readme }])
    expect(
      text.match(/\$\{?(URL|KEY|BASE_URL|API_KEY|TOKEN)\b|^(export )?(URL|KEY|API_KEY)=/gm),
      name,
    ).toBeNull();
});
