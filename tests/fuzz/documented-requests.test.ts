import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { excludesKey } from '../../packages/api/src/schema-words.ts';
import { operations } from '../support/documented.ts';
import { trials } from '../support/trials.ts';
import { seed } from './campaign.ts';
import type { Documented } from './documents.ts';
import { type Ground, openGround, settled } from './existing.ts';
import { useField } from './field.ts';
import { fitting } from './fitting.ts';
import { isListed } from './refusals.ts';
import { encoded } from './requests.ts';
import { asCurl, type WireRequest } from './send.ts';
import { spoilings } from './spoiling.ts';
import { faultOf, type Parts } from './validity.ts';
import { Existing } from './values.ts';

const routes = operations.flatMap((operation) => operation.routes);
/** Half of all are spoilt in one place: more of an operation, since of some nothing can be spoilt but the path. */
const runs = Math.ceil(trials(600, 6_000) / routes.length);
/** After so many requests they go to a new place, so that there is something to work on. */
const groundLasts = 20;
const counted = { done: 0, refused: 0, spoilt: 0 };

const field = useField('requests of the documents');

// The last test judges the sum of the others.
describe('the document says what is refused:', { shuffle: false }, () => {
  test.each(routes.map(({ method, path }) => `${method} ${path}`))(
    '%s',
    async (name) => {
      const { api, sender, documented, tally } = field;
      const subject = documented.find(({ route }) => `${route.method} ${route.path}` === name);
      if (subject === undefined) throw new Error(`${name} is in no document`);
      const samples = fc.sample(fc.tuple(partsOf(subject), fc.nat()), {
        seed: seed ^ crc32(name),
        numRuns: runs,
      });
      let ground = await openGround(api, subject.operation);
      for (const [at, [made, choice]] of samples.entries()) {
        if (at % groundLasts === groundLasts - 1) ground = await openGround(api, subject.operation);
        const whole = inOrder(subject, settledIn(ground, made), choice);
        const again = `again: COMANDA_SEED=${seed} npm test -- --suite fuzz -t '${name}'`;
        expect(faultOf(subject, whole), `the sample of ${name} is not valid; ${again}`).toBeUndefined();
        const [about, parts] = (at % 7 > 1 ? spoiltIn(subject, whole, choice) : undefined) ?? ['', whole];
        const request = toWire(subject, ground, parts);
        const answer = await sender.send(request);
        tally.count(name, answer);
        const said = `${about}\n${asCurl(api.url, request)}\n${answer.status} ${answer.text}\n${again}`;
        if (about !== '') {
          counted.spoilt += 1;
          expect(answer.status, `passed, though it is spoilt: ${said}`).toBe(422);
        } else if (answer.status >= 300) {
          counted.refused += 1;
          const { message = '' } = (answer.body as { error?: { message?: string } }).error ?? {};
          const reason = answer.headers.get('x-error-reason') ?? '';
          expect(isListed(reason, message), `refused for ${reason}, though it is valid: ${said}`).toBe(true);
        } else counted.done += 1;
      }
    },
    600_000,
  );

  test('and enough of it was spoilt, and enough did something', () => {
    process.stdout.write(`fuzz: requests of the documents: ${JSON.stringify(counted)}\n`);
    const all = runs * routes.length;
    expect(counted.spoilt / all).toBeGreaterThan(0.4);
    expect(counted.done / (all - counted.spoilt)).toBeGreaterThan(0.4);
  });
});

/** The parts of requests that are valid, before it is known what exists. */
function partsOf({ document, parameters, body, operation }: Documented): fc.Arbitrary<Made> {
  const of = (place: string, needed = true) => {
    const those = parameters.filter((each) => each.in === place);
    const model = those.map(({ name, schema }) => [name, fitting(document, schema, name)] as const);
    const requiredKeys = those.filter(({ required }) => needed && required).map(({ name }) => name);
    return fc.record(Object.fromEntries(model), { requiredKeys });
  };
  const needsKey = parameters.some(({ name, required }) => name === 'Idempotency-Key' && required);
  const key = fc.oneof(
    fc.uuid(),
    fc.string({ minLength: 1, maxLength: 255 }).map((text) => text.trim() || 'x'),
  );
  return fc.record({
    path: of('path').map((path) =>
      Object.fromEntries(Object.keys(path).map((name, at) => [name, new Existing(name, at)])),
    ),
    query: of('query'),
    key:
      operation.kind === 'query'
        ? fc.constant(undefined)
        : needsKey
          ? key
          : fc.option(key, { nil: undefined }),
    body: body === undefined ? fc.constant(undefined) : fitting(document, body),
  });
}

interface Made {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  key: string | undefined;
  body: unknown;
}

const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join(',') : String(value);
const texts = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, textOf(value)]));

function settledIn(ground: Ground, { path, query, key, body }: Made): Parts {
  const of = (values: Record<string, unknown>) => texts(settled(ground, values) as Record<string, unknown>);
  return { path: of(path), query: of(query), idempotencyKey: key, body: settled(ground, body) };
}

/** Leaves out parameters that exclude each other, and most cursors: they are those of answers. */
function inOrder({ parameters }: Documented, parts: Parts, choice: number): Parts {
  const query = { ...parts.query };
  for (const rare of ['cursor', 'after', 'channel', 'number'].filter(() => choice % 5 > 0))
    delete query[rare];
  for (const { name, schema } of parameters)
    if (name in query) for (const other of (schema[excludesKey] ?? []) as string[]) delete query[other];
  return { ...parts, query };
}

/** One that the document forbids for one place of it; undefined where nothing can be spoilt. */
function spoiltIn(subject: Documented, whole: Parts, choice: number): [string, Parts] | undefined {
  const { document, parameters, body } = subject;
  const ways: [string, Parts][] = [];
  for (const { name, in: place, schema } of parameters) {
    if (place === 'header' && name === 'Idempotency-Key' && whole.idempotencyKey !== undefined)
      for (const key of [undefined, 'x'.repeat(256)]) ways.push([name, { ...whole, idempotencyKey: key }]);
    if (place !== 'query') continue;
    const { [name]: value, ...others } = whole.query;
    ways.push([`without ${name}`, { ...whole, query: others }]);
    const read = fc.sample(fitting(document, schema, name), { seed: choice, numRuns: 1 })[0];
    for (const spoilt of spoilings(document, schema, read instanceof Existing ? 'x' : read, name))
      ways.push([spoilt.about, { ...whole, query: { ...others, [name]: textOf(spoilt.value) } }]);
    // An offset of 0 is none.
    for (const other of (schema[excludesKey] ?? []) as string[])
      ways.push([
        `${name} and ${other}`,
        {
          ...whole,
          query: {
            ...whole.query,
            [name]: value ?? 'x',
            [other]: other === 'offset' ? '1' : '2026-01-31T00:00:00Z',
          },
        },
      ]);
  }
  if (body !== undefined)
    for (const { about, value } of spoilings(document, body, whole.body))
      ways.push([about, { ...whole, body: value }]);
  const forbidden = ways.filter(([, parts]) => faultOf(subject, parts) !== undefined);
  return forbidden[choice % Math.max(1, forbidden.length)];
}

function toWire(
  { route }: Documented,
  { kitchen }: Ground,
  { path, query, idempotencyKey, body }: Parts,
): WireRequest {
  const target = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(path[name]));
  const search = Object.entries(query).map(([name, value]) => `${name}=${encoded(value)}`);
  return {
    method: route.method,
    target: search.length === 0 ? target : `${target}?${search.join('&')}`,
    headers: [
      ['Authorization', `Bearer ${kitchen.key}`],
      ...(body === undefined ? [] : [['Content-Type', 'application/json'] as [string, string]]),
      ...(idempotencyKey === undefined ? [] : [['Idempotency-Key', idempotencyKey] as [string, string]]),
    ],
    // None is sent as an empty one, or Node would announce a body.
    ...(route.method !== 'GET' && { body: Buffer.from(body === undefined ? '' : JSON.stringify(body)) }),
  };
}
