import { describe, expect, test } from 'vitest';
import { ErrorData } from '../../packages/api/src/call/error-data.ts';
import { useApi } from '../support/api.ts';
import { parseStrict } from '../support/strict.ts';
import { converse, type Heard } from './conversation.ts';
import { procedureKinds } from './doors.ts';

const api = useApi();

const others = [
  'application/octet-stream',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'text/plain',
  'application/jsonx',
  'application/json; charset=utf-16',
  'application/json; charset=utf-8; charset=latin1',
  '*/*',
  '',
];

describe('tRPC reads nothing but application/json:', () => {
  test.each(procedureKinds)('%s with any other type, with a body and without', async (name) => {
    const requests = others.flatMap((type) => [post(name, '{}', type), post(`${name}?batch=1`, '', type)]);
    const all = [...requests, post(name, '', undefined)];
    const heard = await Promise.all(all.map((bytes) => converse(api.url, bytes)));
    for (const [answer] of heard) requireRefusal(answer);
  });

  test('a turn is not closed by bytes, nor opened by a form (bug: both were done)', async () => {
    const statusOf = async (path: string, body: string, type: string) =>
      (await converse(api.url, post(path, body, type)))[0]?.status;
    const form = 'multipart/form-data; boundary=x';
    const parts = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n';
    expect(await statusOf('turns.open', parts, form)).toBe(415);
    await api.client().turns.open.mutate();
    for (const path of ['turns.close', 'turns.close?batch=1'])
      expect(await statusOf(path, 'garbage', 'application/octet-stream')).toBe(415);
    expect((await api.client().turns.close.mutate()).status).toBe('closed');
  });

  test('also where the path is written in capitals', async () => {
    const bytes = post('turns.open', 'x', 'application/octet-stream').replace('/trpc/', '/TRPC/');
    requireRefusal((await converse(api.url, bytes))[0]);
  });

  test('in several calls at once, by one refusal', async () => {
    for (const type of ['text/plain', 'application/octet-stream'])
      requireRefusal((await converse(api.url, post('turns.open,turns.close?batch=1', '{}', type)))[0]);
  });
});

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;Charset="UTF8"'])(
  'tRPC takes %s, with a body and without',
  async (type) => {
    for (const body of ['{}', ''])
      for (const path of ['turns.open', 'turns.close', 'turns.open?batch=1', 'turns.close?batch=1']) {
        const [answer] = await converse(api.url, post(path, body, type));
        expect({ path, status: answer?.status }).toEqual({ path, status: 200 });
      }
  },
);

describe('a batch by a body is read as a call by a body is:', () => {
  const batch = 'categories.create,categories.list?batch=1';
  const category = { name: 'Tea', priority: 1, visible: true };

  test('each call gets its input', async () => {
    const body = JSON.stringify({ 0: category, 1: { ...category, name: 'Coffee' } });
    const { status, body: answered } = await api.rest<unknown>(
      'POST /trpc/categories.create,categories.create?batch=1',
      { body },
    );
    expect(status).toBe(200);
    expect(answered).toMatchObject([
      { result: { data: { name: 'Tea' } } },
      { result: { data: { name: 'Coffee' } } },
    ]);
  });

  test('also queries', async () => {
    const { text } = await api.rest('POST /trpc/categories.list,products.list?batch=1', {
      body: JSON.stringify({ 0: { limit: 1 }, 1: { limit: 201 } }),
    });
    expect(text).toContain('"limit":1');
    expect(text).toContain('limit: ');
  });

  test.each([
    ['malformed JSON', '{"0":', 400],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('latin1'), 400],
    ['a list', '[]', 422],
    ['more than 64 KiB', `{}${' '.repeat(64 * 1024 - 1)}`, 413],
  ])('%s is refused', async (_about, body, status) => {
    const path = 'categories.create,categories.create?batch=1';
    const [answer] = await converse(api.url, post(path, body, 'application/json'), { enough: 1 });
    expect(answer?.status).toBe(status);
  });

  test('64 KiB are read', async () => {
    const body = JSON.stringify({ 0: category }).padEnd(64 * 1024, ' ');
    const { status } = await api.rest('POST /trpc/categories.create?batch=1', { body });
    expect(status).toBe(200);
  });

  test('mixed calls and more than ten are refused', async () => {
    expect((await api.rest(`POST /trpc/${batch}`, { body: '{}' })).status).toBe(400);
    const many = Array.from({ length: 11 }, () => 'turns.open').join(',');
    expect((await api.rest(`POST /trpc/${many}?batch=1`, { body: '{}' })).status).toBe(400);
  });
});

test.each(['trpc-accept', 'accept'])(
  'an answer in lines, asked for by %s, is refused (bug: forty of large lists ended a process)',
  async (header) => {
    const headers = { [header]: 'application/jsonl' };
    const refused = { status: 406, body: { error: { data: { reason: 'lines_not_available' } } } };
    const write = { headers, body: '{}' };
    expect(await api.rest('GET /trpc/products.list?input=%7B%7D', { headers })).toMatchObject(refused);
    expect(await api.rest('POST /trpc/products.list,orders.list?batch=1', write)).toMatchObject(refused);
    expect(await api.rest('POST /trpc/turns.open', write)).toMatchObject(refused);
    expect((await api.rest('POST /trpc/turns.close', { body: '{}' })).status).toBe(409);
  },
);

function post(path: string, body: string, type: string | undefined): string {
  const lines = [
    'Host: x',
    `Authorization: Bearer ${api.key.key}`,
    'Connection: close',
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    `Content-Length: ${Buffer.byteLength(body, 'latin1')}`,
  ];
  return `POST /trpc/${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

function requireRefusal(answer: Heard | undefined): void {
  expect(answer?.status).toBe(415);
  const { error } = JSON.parse(answer?.body ?? '') as { error: { data: object } };
  const data = parseStrict(ErrorData, error.data);
  expect(data).toMatchObject({ code: 'invalid_request', reason: 'unsupported_media_type', httpStatus: 415 });
}
