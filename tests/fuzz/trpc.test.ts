import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ErrorData } from '../../packages/api/src/call/error-data.ts';
import type { Operation } from '../../packages/api/src/call/operations.ts';
import { inputIn } from '../contract/kitchen.ts';
import { useApi } from '../support/api.ts';
import { operations, strictly } from '../support/documented.ts';
import { trials } from '../support/trials.ts';
import { use } from '../support/use.ts';
import { campaign, createTally, WrongAnswer } from './campaign.ts';
import type { Schema } from './documents.ts';
import { type Ground, openGround, settled } from './existing.ts';
import { type Change, changed, changes } from './hostile.ts';
import { judgeAny } from './judge.ts';
import { encoded, rarely, rawBodies } from './requests.ts';
import { asCurl, createSender, type WireAnswer, type WireRequest } from './send.ts';
import { valid } from './values.ts';

const runs = Math.ceil(trials(500, 5_000) / operations.length);
const batches = trials(60, 600);
const groundLasts = 20;

const api = useApi();
const tally = createTally();
const sender = use(
  async () => createSender(api.url),
  async ({ close }) => {
    tally.report('tRPC');
    close();
  },
);

// The last test judges the sum of the others.
describe('the typed entrance answers every request in its form:', { shuffle: false }, () => {
  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (name, operation) => {
      const output = z.object({ result: z.object({ data: strictly(operation.output) }).strict() }).strict();
      let sent = 0;
      let ground: Ground | undefined;
      let example: Record<string, unknown> = {};
      await campaign(name, runs, calls(operation), async (call) => {
        if (ground === undefined || sent % groundLasts === 0) {
          ground = await openGround(api, operation);
          example = await inputIn(ground.kitchen, operation);
        }
        sent += 1;
        const request = toWire(operation, call, ground, example);
        await hold(name, request, (answer) => {
          if (answer.status >= 400) requireRefusal(answer);
          else if (answer.body !== undefined || request.method !== 'HEAD') requireAs(output, answer.body);
        });
      });
    },
    300_000,
  );

  test('batches', async () => {
    const ground = await openGround(api);
    await campaign('batches', batches, batch, async ({ names, method, input, flag }) => {
      const path = `/trpc/${names.join(',')}`;
      const query = `batch=${flag}`;
      const headers: [string, string][] = [['Authorization', `Bearer ${ground.kitchen.key}`]];
      const request: WireRequest =
        method === 'GET'
          ? { method, target: `${path}?${query}&input=${encoded(input)}`, headers }
          : {
              method,
              target: `${path}?${query}`,
              headers: [...headers, ['Content-Type', 'application/json']],
              body: Buffer.from(input),
            };
      await hold('batches', request, (answer) => {
        const parts = Array.isArray(answer.body) ? answer.body : [answer.body];
        if (parts.length > 10) throw new Error('more calls were answered than a batch may hold');
        for (const part of parts) requireAs(Part, part);
      });
    });
  }, 300_000);

  test('and enough of it did something', () => {
    expect(tally.answered(200, 299) / tally.answered(200, 499)).toBeGreaterThan(0.25);
  });
});

async function hold(about: string, request: WireRequest, judge: (answer: WireAnswer) => void): Promise<void> {
  const answer = await sender.send(request);
  tally.count(about, answer);
  try {
    judgeAny(answer, about === 'catalog.get' || about === 'batches');
    judge(answer);
  } catch (fault) {
    throw new WrongAnswer(fault, asCurl(api.url, request), `${answer.status} ${answer.text}`);
  }
}

interface Call {
  /** A value by the schema; undefined: the documented example. */
  input: unknown;
  changes: Change[];
  form: 'json' | 'raw' | 'absent';
  raw: string;
  key: boolean;
  method: string | undefined;
}

function calls({ input }: Operation): fc.Arbitrary<Call> {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Schema;
  return fc.record({
    input: fc.option(valid(schema, schema), { nil: undefined, freq: 1 }),
    changes,
    form: rarely<Call['form']>('json', 'raw', 'absent'),
    raw: fc.constantFrom(...rawBodies),
    key: rarely(true, false),
    method: rarely<string | undefined>(undefined, 'GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'),
  });
}

function toWire(
  { name, kind }: Operation,
  call: Call,
  ground: Ground,
  example: Record<string, unknown>,
): WireRequest {
  const value = settled(ground, changed(call.input ?? example, call.changes));
  const text = call.form === 'raw' ? call.raw : (JSON.stringify(value) ?? '');
  const headers: [string, string][] = call.key ? [['Authorization', `Bearer ${ground.kitchen.key}`]] : [];
  const target = `/trpc/${name}`;
  if (kind === 'query') {
    const search = call.form === 'absent' ? '' : `?input=${encoded(text)}`;
    return { method: call.method ?? 'GET', target: target + search, headers };
  }
  const body = call.form === 'absent' ? undefined : Buffer.from(text);
  return {
    method: call.method ?? 'POST',
    target,
    headers: [...headers, ['Content-Type', 'application/json']],
    ...(body !== undefined && { body }),
  };
}

const someNames = [
  ...operations.map(({ name }) => name),
  'nothing',
  'constructor',
  '__proto__',
  '',
  'orders',
  '%2e',
];
const someInputs = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
  fc.constantFrom(...rawBodies),
  fc
    .array(
      fc.tuple(fc.constantFrom('0', '1', '2', '-1', '__proto__', 'length'), fc.jsonValue({ maxDepth: 1 })),
      { maxLength: 4 },
    )
    .map((entries) => JSON.stringify(Object.fromEntries(entries))),
);
const batch = fc.record({
  names: fc.array(fc.constantFrom(...someNames), { minLength: 1, maxLength: 12 }),
  method: fc.constantFrom('GET', 'POST'),
  input: someInputs,
  flag: fc.constantFrom('1', '1', '1', '0', '', 'true'),
});

const Refusal = z.strictObject({
  error: z.strictObject({
    message: z.string(),
    code: z.int(),
    data: z.strictObject({ ...ErrorData.shape, httpStatus: z.int().max(499), requestId: z.string().min(1) }),
  }),
});
// Outside of the procedures the site itself answers.
const SiteRefusal = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string(), request_id: z.string().min(1) }),
});
const Part = z.union([
  Refusal,
  SiteRefusal,
  z.strictObject({ result: z.strictObject({ data: z.unknown() }) }),
]);

function requireRefusal(answer: WireAnswer): void {
  if (answer.body === undefined && answer.text === '') return;
  const { error } = requireAs(z.union([Refusal, SiteRefusal]), answer.body);
  const id = 'data' in error ? error.data.requestId : error.request_id;
  if (id !== answer.headers.get('x-request-id')) throw new Error('names another request');
  if ('data' in error && error.data.httpStatus !== answer.status) throw new Error('carries another status');
}

function requireAs<Type extends z.ZodType>(schema: Type, value: unknown): z.output<Type> {
  const { data, error } = schema.safeParse(value);
  if (error !== undefined) throw new Error(`is not in its form: ${z.prettifyError(error)}`);
  return data as z.output<Type>;
}
