import { Agent, request as httpRequest } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { Operation, Route } from '../../packages/api/src/call/operations.ts';
import { coercions } from '../../packages/api/src/http/rest/query.ts';
import { createKey } from '../support/factories.ts';
import { converse } from './conversation.ts';
import { inputIn, type Kitchen } from './kitchen.ts';

// Requests with odd parts, each with its whole answer: what must not change when the way of a call through the service does.

/** A request of the corpus. */
export interface CorpusRequest {
  /** What is odd about it. */
  about: string;
  method: string;
  target: string;
  headers: Record<string, string>;
  body?: string;
}

/** An answer, without what differs from run to run. */
export interface CorpusAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A way to call an operation: a REST path, or tRPC where `route` is unset. */
export interface CorpusEntrance {
  name: string;
  operation: Operation;
  route?: Route;
}

/** Every way to call each of the operations. */
export const corpusEntrances = (operations: readonly Operation[]): CorpusEntrance[] =>
  operations.flatMap((operation) => [
    ...operation.routes.map((route) => ({ name: `${route.method} ${route.path}`, operation, route })),
    { name: `tRPC ${operation.name}`, operation },
  ]);

/** Sends the requests of an entrance one after the other, and returns `about` and answer of each. */
export async function corpusOf(
  entrance: CorpusEntrance,
  kitchen: Kitchen,
): Promise<[string, CorpusAnswer][]> {
  const { operation, route } = entrance;
  const input = await inputIn(kitchen, operation);
  const { key: poorKey } = await createKey(kitchen.api.app.database, {
    locationId: kitchen.locationId,
    permissions: [operation.meta.permission === 'events:read' ? 'products:read' : 'events:read'],
  });
  const form = route === undefined ? trpcForm(operation) : restForm(operation, route);
  const normalize = normalizer(kitchen);
  const answers: [string, CorpusAnswer][] = [];
  let etag = '"none"';
  for (const { about, key, ...changes } of variationsOf(entrance)) {
    const given = { ...input, ...changes.input };
    const formed = form(given, changes.pad ?? 0);
    const headers: Record<string, string> = {
      ...formed.headers,
      ...(key === null ? {} : { authorization: `Bearer ${key === 'poor' ? poorKey : (key ?? kitchen.key)}` }),
      ...changes.headers,
    };
    for (const [name, value] of Object.entries(headers)) headers[name] = value.replace('<etag>', etag);
    const body = changes.body ?? formed.body;
    const answer = await send(kitchen.api.url, {
      about,
      method: changes.method ?? formed.method,
      target: changes.target?.(formed.target) ?? formed.target,
      headers,
      ...(body !== undefined && { body }),
    });
    etag = answer.headers.etag ?? etag;
    answers.push([about, normalize(answer)]);
  }
  return answers;
}

/** How a request differs from one that is right. */
interface Variation {
  about: string;
  input?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** The key: none, one without the permission, or this one. */
  key?: string | null;
  body?: string;
  method?: string;
  target?: (target: string) => string;
  /** Spaces that make the body a large one. */
  pad?: number;
}

const large = 70_000;

function variationsOf({ operation, route }: CorpusEntrance): Variation[] {
  const { kind, input, meta } = operation;
  const isWrite = kind === 'mutation';
  const fields = Object.keys(input.shape).filter((field) => field !== 'id');
  const joiner = (target: string) => (target.includes('?') ? '&' : '?');
  const keyed = (key: string): Partial<Variation> =>
    route === undefined ? { input: { idempotencyKey: key } } : { headers: { 'idempotency-key': key } };
  return [
    { about: 'without a credential', key: null },
    { about: 'with a key that is none', key: 'cmd_live_none' },
    { about: 'without the permission', key: 'poor' },
    { about: 'an unknown query parameter', target: (target) => `${target}${joiner(target)}colour=red` },
    { about: 'broken percent-encoding', target: (target) => `${target}${joiner(target)}limit=%FF` },
    { about: 'an unknown address', target: (target) => `${target.split('?')[0]}/nothing` },
    { about: 'a method that it has not', method: 'PUT' },
    { about: 'a fault that is none', headers: { 'x-comanda-simulate': 'earthquake' } },
    { about: 'a simulated 503', headers: { 'x-comanda-simulate': 'unavailable; seconds=7' } },
    { about: 'a simulated 429', headers: { 'x-comanda-simulate': 'rate_limited; seconds=7' } },
    ...fields.flatMap((field) =>
      oddValues(field, operation).map((value) => ({
        about: `${field} is ${JSON.stringify(value).slice(0, 20)}`,
        input: { [field]: value },
      })),
    ),
    ...('id' in input.shape ? [{ about: 'an unknown id', input: { id: 'unknown' } }] : []),
    { about: 'another If-Match', headers: { 'if-match': '"another"' } },
    ...(isWrite
      ? [
          { about: 'malformed JSON', body: '{' },
          { about: 'JSON that is no object', body: '[]' },
          { about: 'a body of text', headers: { 'content-type': 'text/plain' } },
          { about: 'a packed body', headers: { 'content-encoding': 'gzip' } },
          { about: 'U+0000', input: { note: 'a\0b' } },
          {
            about: 'an unknown field, strictly',
            input: { colour: 'red' },
            headers: { prefer: 'handling=strict' },
          },
          { about: 'a key that is too long', ...keyed('x'.repeat(256)) },
          { about: 'right, with a key', ...keyed('once') },
          { about: 'repeated', ...keyed('once') },
          { about: 'repeated as a large body', ...keyed('once'), pad: large },
          { about: 'repeated with another body', ...keyed('once'), ...withNote(keyed('once')) },
          { about: 'a large body', ...keyed('large'), pad: large },
          { about: 'a large body that is refused', input: { note: 'a\0b' }, pad: large },
          {
            about: 'an unknown field',
            input: { colour: 'red' },
            ...(meta.idempotent && keyedHeaders(route)),
          },
          {
            about: 'If-Match of the resource',
            headers: { 'if-match': '<etag>', ...keyedHeaders(route)?.headers },
          },
          {
            about: 'If-None-Match of any',
            headers: { 'if-none-match': '*', ...keyedHeaders(route)?.headers },
          },
        ]
      : [
          { about: 'right' },
          { about: 'packed', headers: { 'accept-encoding': 'gzip' } },
          { about: 'HEAD', method: 'HEAD' },
          { about: 'the answer that the caller has', headers: { 'if-none-match': '<etag>' } },
          { about: 'with a preference', headers: { prefer: 'handling=strict' } },
          ...('limit' in input.shape ? [{ about: 'one entry', input: { limit: 1 } }] : []),
        ]),
  ];
}

const keyedHeaders = (route: Route | undefined) =>
  route === undefined ? undefined : { headers: { 'idempotency-key': 'further' } };

const withNote = ({ input, headers }: Partial<Variation>): Partial<Variation> => ({
  input: { ...input, note: 'of another request' },
  ...(headers && { headers }),
});

/** Values of a field of which most do not fit. */
function oddValues(field: string, { input, kind }: Operation): unknown[] {
  const isList = coercions(input).get(field) === 'strings';
  if (kind === 'query') return [isList ? ['a\0b'] : 'a\0b', '', -1, 'x'.repeat(300), true];
  return [{ a: 1 }, null, '', -1, 'x'.repeat(300), []];
}

type Form = (input: Record<string, unknown>, pad: number) => Omit<CorpusRequest, 'about'>;

const json = { 'content-type': 'application/json' };

function restForm({ meta }: Operation, { method, path }: Route): Form {
  return ({ idempotencyKey: _, ...input }, pad) => {
    const rest = { ...input };
    const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => {
      delete rest[name];
      return encodeURIComponent(String(input[name]));
    });
    if (method === 'GET') {
      const query = new URLSearchParams(
        Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
      );
      return { method, target: query.size > 0 ? `${filled}?${query}` : filled, headers: {} };
    }
    const headers = { ...json, ...(meta.idempotent && { 'idempotency-key': 'a' }) };
    return { method, target: filled, headers, body: JSON.stringify(rest) + ' '.repeat(pad) };
  };
}

function trpcForm({ name, kind }: Operation): Form {
  return (input, pad) => {
    const text = JSON.stringify(input);
    const target = `/trpc/${name}`;
    if (kind === 'mutation') return { method: 'POST', target, headers: json, body: text + ' '.repeat(pad) };
    return { method: 'GET', target: `${target}?input=${encodeURIComponent(text)}`, headers: {} };
  };
}

const agent = new Agent({ keepAlive: true });

function send(url: string, { method, target, headers, body }: CorpusRequest): Promise<CorpusAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const { hostname, port } = new URL(url);
    const sent = httpRequest(
      { hostname, port, path: target, method, agent, headers: { ...headers, ...length } },
      (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.once('error', reject);
        answer.once('end', () => {
          const coded = answer.headers['content-encoding'] === 'gzip';
          const whole = Buffer.concat(pieces);
          resolve({
            status: answer.statusCode ?? 0,
            headers: Object.fromEntries(
              Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
            ),
            body: whole.length === 0 ? '' : (coded ? gunzipSync(whole) : whole).toString(),
          });
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Requests that no client of HTTP sends, by what is odd about them: over one connection each. */
export const oddHttp: Record<string, string> = {
  'no Host': 'GET /v2/limits HTTP/1.1\r\n\r\n',
  'two keys':
    'GET /v2/limits HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n',
  'HTTP/1.0': 'GET /v2/limits HTTP/1.0\r\n\r\n',
  'an absolute target': 'GET http://x/v2/limits HTTP/1.1\r\nHost: y\r\n\r\n',
  'OPTIONS of all': 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  CONNECT: 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n',
  'an unknown method': 'BREW /v2/limits HTTP/1.1\r\nHost: x\r\n\r\n',
  'an unknown coding': 'POST /v2/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n',
  'an expectation': 'POST /v2/orders HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Length: 2\r\n\r\n{}',
  'a body that is too large': 'POST /v2/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n',
  'a header beyond bounds': `GET /v2/limits HTTP/1.1\r\nHost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
  'no request': 'hello\r\n\r\n',
  'answers in lines': 'GET /trpc/limits.get HTTP/1.1\r\nHost: x\r\ntrpc-accept: application/jsonl\r\n\r\n',
  'an unknown procedure': 'GET /trpc/nothing HTTP/1.1\r\nHost: x\r\n\r\n',
  'an unknown one in a batch': 'GET /trpc/limits.get,nothing?batch=1 HTTP/1.1\r\nHost: x\r\n\r\n',
  'a batch of both kinds': 'GET /trpc/limits.get,orders.create?batch=1 HTTP/1.1\r\nHost: x\r\n\r\n',
  'a batch that is no object': 'GET /trpc/limits.get?batch=1&input=[] HTTP/1.1\r\nHost: x\r\n\r\n',
};

/** The answers to batches of tRPC: a fault is in the second call of each. */
export async function batchAnswers(
  open: () => Promise<Kitchen>,
  batches: readonly (readonly Operation[])[],
): Promise<[string, CorpusAnswer][]> {
  const answers: [string, CorpusAnswer][] = [];
  for (const calls of batches) {
    const kitchen = await open();
    const normalize = normalizer(kitchen);
    const inputs: Record<number, unknown> = {};
    for (const [index, operation] of calls.entries())
      inputs[index] = index === 1 ? {} : await inputIn(kitchen, operation);
    const target = `/trpc/${calls.map(({ name }) => name).join()}?batch=1`;
    const text = JSON.stringify(inputs);
    const authorization = `Bearer ${kitchen.key}`;
    const requests: CorpusRequest[] = [
      {
        about: 'in the URL',
        method: 'GET',
        target: `${target}&input=${encodeURIComponent(text)}`,
        headers: {},
      },
      { about: 'in the body', method: 'POST', target, headers: json, body: text },
      {
        about: 'in a body of text',
        method: 'POST',
        target,
        headers: { 'content-type': 'text/plain' },
        body: text,
      },
      {
        about: 'packed',
        method: 'POST',
        target,
        headers: { ...json, 'accept-encoding': 'gzip' },
        body: text,
      },
    ];
    for (const { about, ...request } of requests) {
      const headers = { authorization, ...request.headers };
      const answer = await send(kitchen.api.url, { about, ...request, headers });
      answers.push([`${calls.map(({ name }) => name).join()} ${about}`, normalize(answer)]);
    }
  }
  return answers;
}

/** The answers to `oddHttp`, by name. */
export async function oddAnswers(kitchen: Kitchen): Promise<[string, CorpusAnswer][]> {
  const normalize = normalizer(kitchen);
  const answers: [string, CorpusAnswer][] = [];
  for (const [name, text] of Object.entries(oddHttp)) {
    const [heard] = await converse(kitchen.api.url, text, { enough: 1 });
    if (heard === undefined) throw new Error(`${name}: no answer`);
    const headers = Object.fromEntries(heard.headers.entries());
    answers.push([name, normalize({ status: heard.status, headers, body: heard.body })]);
  }
  return answers;
}

const unsteady = [
  'connection',
  'date',
  'keep-alive',
  'x-ratelimit-reset',
  'x-ratelimit-batch-reset',
  'x-ratelimit-remaining',
  'content-length',
];

/** Replaces what differs from run to run: ids, moments, secrets, tags of bytes. */
function normalizer({ locationId }: Kitchen): (answer: CorpusAnswer) => CorpusAnswer {
  const seen = new Map([[locationId, '<location>']]);
  const nameOf = (id: string) => {
    if (!seen.has(id)) seen.set(id, `<id ${seen.size}>`);
    return seen.get(id) ?? '';
  };
  const steady = (text: string) =>
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, nameOf)
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, '<moment>')
      .replace(/\d{4}-\d\d-\d\d/g, '<day>')
      .replace(/whsec_[A-Za-z0-9+/=]+/g, '<secret>')
      .replace(/cmd_(test|live)_\w+/g, '<key>')
      .replace(/(?<=\\?"code\\?":\\?")\w{8}(?=\\?")/g, '<code>')
      .replace(/comanda_test_\w+/g, '<role>')
      .replace(/-\d{13}(?=\\?")/g, '-<tag>')
      .replace(/[\w-]{43}(?=\\?")/g, '<hash>');
  return ({ status, headers, body }) => ({
    status,
    headers: Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => !unsteady.includes(name))
        .map(([name, value]): [string, string] => [
          name,
          name === 'x-request-id' ? '<request>' : steady(value),
        ])
        .sort(),
    ),
    body: steady(body.replace(/"request_?[iI]d":"[^"]*"/g, '"request_id":"<request>"')),
  });
}
