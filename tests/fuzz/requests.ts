import fc from 'fast-check';
import { words } from '../support/words.ts';
import type { Documented } from './documents.ts';
import { type Ground, settled } from './existing.ts';
import { type Change, changed, changes, hostileText } from './hostile.ts';
import type { WireRequest } from './send.ts';
import { Existing, valid } from './values.ts';

/** A request before it is known what exists: what fast-check makes and shrinks. */
export interface Plan {
  method: string;
  path: Record<string, unknown>;
  oddPath: string;
  query: [string, unknown][];
  oddQuery: string;
  headers: [string, string][];
  idempotencyKey: string | undefined;
  key: 'own' | 'none' | 'garbled';
  /** A value by the schema; undefined: the documented example. */
  body: unknown;
  changes: Change[];
  form: 'json' | 'cut' | 'raw' | 'absent' | 'large';
  raw: string;
}

/** Requests of an operation: valid ones, nearly valid ones, and hostile ones. */
export function plans(documented: Documented): fc.Arbitrary<Plan> {
  const { route, parameters, document, body } = documented;
  const of = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const field = (name: string, schema: unknown) =>
    fc.oneof({ weight: 6, arbitrary: valid(document, schema, name) }, { weight: 1, arbitrary: hostileText });
  return fc.record({
    method: rarely(route.method, ...otherMethods),
    path: fc.record(
      Object.fromEntries(of('path').map(({ name, schema }) => [name, pathValue(name, field(name, schema))])),
    ),
    oddPath: rarely('', ...words('/ // /.. /%2e %00 % %ff ;x=1 .json /x %2F ? /../../docs')),
    query:
      of('query').length === 0
        ? fc.constant([])
        : fc.array(
            fc.oneof(
              ...of('query').map(({ name, schema }) => fc.tuple(fc.constant(name), field(name, schema))),
            ),
            { maxLength: 4 },
          ),
    oddQuery: rarely(
      '',
      ...words(
        '& &= &limit &limit[]=1 &limit[$gt]=1 &__proto__[x]=1 &% &x=%ff &; &x=%00 &limit=1&limit=2 &from= #x',
      ),
      '&a=\xff',
    ),
    headers: fc.oneof(
      { weight: 4, arbitrary: fc.constant<[string, string][]>([]) },
      { weight: 1, arbitrary: fc.array(oddHeader, { minLength: 1, maxLength: 3 }) },
    ),
    idempotencyKey: fc.oneof(
      { weight: 8, arbitrary: fc.uuid() },
      {
        weight: 2,
        arbitrary: fc.constantFrom('again', undefined, '', ' ', 'é', 'x'.repeat(255), 'x'.repeat(256)),
      },
    ),
    key: rarely<Plan['key']>('own', 'none', 'garbled'),
    body:
      body === undefined
        ? fc.constant(undefined)
        : fc.option(valid(document, body), { nil: undefined, freq: 1 }),
    changes,
    form: rarely<Plan['form']>(
      body === undefined ? 'absent' : 'json',
      'json',
      'cut',
      'raw',
      'absent',
      'large',
    ),
    raw: fc.constantFrom(...rawBodies),
  });
}

/** The request of a plan, on the ground where it is sent. `example` is a valid input of the operation. */
export function toWire(
  { route, operation }: Documented,
  plan: Plan,
  ground: Ground,
  example: Record<string, unknown>,
): WireRequest {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encoded(settled(ground, plan.path[name])),
  );
  const query = plan.query.map(([name, value]) => `${name}=${encoded(settled(ground, value))}`).join('&');
  const search = `${query}${plan.oddQuery}`;
  const body = bodyOf(plan, ground, example);
  const headers: [string, string][] = [...plan.headers];
  if (plan.key !== 'none')
    headers.push([
      'Authorization',
      `Bearer ${plan.key === 'own' ? ground.kitchen.key : `${ground.kitchen.key.slice(0, -1)}_`}`,
    ]);
  if (body !== undefined && !headers.some(([name]) => name.toLowerCase() === 'content-type'))
    headers.push(['Content-Type', 'application/json']);
  if (operation.kind === 'mutation' && plan.idempotencyKey !== undefined)
    headers.push(['Idempotency-Key', plan.idempotencyKey]);
  return {
    method: plan.method,
    target: `${path}${plan.oddPath}${search === '' ? '' : `?${search}`}`,
    headers,
    ...(body !== undefined && { body }),
  };
}

const otherMethods = words('GET HEAD POST PATCH DELETE PUT OPTIONS TRACE PROPFIND M-SEARCH');

/** Bodies that are not quite JSON, or JSON that is not quite a body. */
export const rawBodies = [
  '',
  ' ',
  '\n',
  '[]',
  'null',
  '0',
  '"x"',
  'NaN',
  '{',
  '}',
  '{}{}',
  "{'a':1}",
  '{"a":1,}',
  '\ufeff{}',
  '{"a":1e400}',
  '{"a":-0}',
  '{"a":01}',
  '{"name":"x","name":"y"}',
  '{"\\u0000":1}',
  '{"a":"\\ud800"}',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"a":123456789012345678901234567890}',
  '/*x*/{}',
  '{"a":"\t"}',
  'name=x&price=1',
  '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><x>&y;</x>',
] as const;

const oddHeader = fc.constantFrom<[string, string]>(
  ['Content-Type', 'text/plain'],
  ['Content-Type', 'application/json; charset=utf-16'],
  ['Content-Type', ';;;'],
  ['Content-Encoding', 'gzip'],
  ['Accept', 'text/html;q=0.9, */*;q=x'],
  ['Accept-Encoding', 'gzip, br, zstd, x'],
  ['X-Request-Id', 'mine-1'],
  ['X-Request-Id', '\xe9\xe9'],
  ['X-Request-Id', 'x'.repeat(500)],
  ['If-None-Match', '*'],
  ['If-None-Match', 'W/"a", "b,c", ,"'],
  ['If-None-Match', '"'.repeat(300)],
  ['Range', 'bytes=0-0,-1'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Forwarded-For', '127.0.0.1, ::1'],
  ['X-Forwarded-Host', 'evil.example'],
  ['Cookie', 'a=b; __proto__=x'],
  ['Origin', 'https://evil.example'],
  ['Access-Control-Request-Method', 'POST'],
  ['Idempotency-Key', 'another'],
  ['Authorization', 'Basic YTpi'],
  ['trpc-accept', 'application/jsonl'],
  ['Forwarded', 'for="[::1]";proto=https'],
  ['Upgrade', 'h2c'],
  ['X-Empty', ''],
  ['__proto__', 'x'],
);

// An empty segment is another path.
function pathValue(name: string, by: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const existing = fc.nat().map((choice) => new Existing(name, choice));
  return fc.oneof({ weight: 5, arbitrary: existing }, by).map((value) => (value === '' ? 'x' : value));
}

/** The usual value, and now and then another. */
export function rarely<Value>(usual: Value, ...others: Value[]): fc.Arbitrary<Value> {
  return fc.oneof(
    { weight: 30, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

function bodyOf(plan: Plan, ground: Ground, example: Record<string, unknown>): Buffer | undefined {
  if (plan.form === 'absent') return undefined;
  if (plan.form === 'raw') return Buffer.from(plan.raw);
  const value = changed(plan.body ?? example, plan.changes);
  const bytes = Buffer.from(JSON.stringify(settled(ground, value)) ?? '');
  if (plan.form === 'cut') return bytes.subarray(0, Math.floor(bytes.length / 2));
  // Of exactly the largest size, or one more.
  if (plan.form === 'large')
    return Buffer.concat([
      bytes,
      Buffer.alloc(Math.max(0, 1_048_576 + (plan.changes.length % 2) - bytes.length), 32),
    ]);
  return bytes;
}

/** Percent-encoded, of any type; lists become comma-separated. */
export function encoded(value: unknown): string {
  const text = Array.isArray(value) ? value.map(String).join(',') : String(value);
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._~:-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
}
