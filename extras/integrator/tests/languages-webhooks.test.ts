import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { describe, expect, test } from 'vitest';
import { words } from '../../../tests/support/words.ts';
import { languagesHere, useDriver } from './languages.ts';

const vector = JSON.parse(
  readFileSync(join(repositoryRoot, 'examples/verify-webhook/vector.json'), 'utf8'),
) as Record<'secret' | 'id' | 'timestamp' | 'signature' | 'body', string>;
const at = Number(vector.timestamp);
const body = Buffer.from(vector.body);
const other = `whsec_${Buffer.from('another').toString('base64')}`;

function sign(signed: Buffer, secret = vector.secret): string {
  const mac = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'));
  return `v1,${mac.update(`${vector.id}.${vector.timestamp}.`).update(signed).digest('base64')}`;
}

/** The heads of the published delivery, of which some are others. */
function headers(others: Readonly<Record<string, string>> = {}): Record<string, string> {
  const digest = createHash('sha256').update(body).digest('base64');
  return {
    'webhook-id': vector.id,
    'webhook-timestamp': vector.timestamp,
    'webhook-signature': vector.signature,
    'content-digest': `sha-256=:${digest}:`,
    ...others,
  };
}

interface Given {
  secrets?: readonly string[];
  headers?: Record<string, string>;
  body?: Buffer;
  now?: number;
}

const right: readonly (Given & { about: string })[] = [
  { about: 'the published vector' },
  { about: 'one that is five minutes old', now: at + 300 },
  { about: 'one that is five minutes ahead', now: at - 300 },
  { about: 'one that is signed with the second of two secrets', secrets: [other, vector.secret] },
  {
    about: 'one of several signatures',
    headers: headers({ 'webhook-signature': `v1a,x ${sign(body, other)} ${vector.signature}` }),
  },
  { about: 'one without a digest', headers: headers({ 'content-digest': '' }) },
];

const altered = Buffer.from(vector.body.replace('12.5', '1.5'));
const signed = (text: string | Buffer) => {
  const bytes = Buffer.from(text);
  return { body: bytes, headers: headers({ 'webhook-signature': sign(bytes), 'content-digest': '' }) };
};
const wrong: readonly (Given & { about: string; reason: string })[] = [
  { about: 'another secret', secrets: [other], reason: 'wrong_secret' },
  { about: 'a secret without whsec_', secrets: [vector.secret.slice(6)], reason: 'wrong_secret' },
  { about: 'a secret that is not base64', secrets: ['whsec_!'], reason: 'wrong_secret' },
  {
    about: 'an empty secret, and a signature made with it',
    secrets: ['whsec_'],
    headers: headers({ 'webhook-signature': sign(body, 'whsec_') }),
    reason: 'wrong_secret',
  },
  { about: 'no secret', secrets: [], reason: 'wrong_secret' },
  { about: 'an altered body', body: altered, reason: 'altered_body' },
  {
    about: 'an altered body without a digest',
    body: altered,
    headers: headers({ 'content-digest': '' }),
    reason: 'wrong_secret',
  },
  {
    about: 'a signature that is cut short',
    headers: headers({ 'webhook-signature': vector.signature.slice(0, -4) }),
    reason: 'wrong_secret',
  },
  {
    about: 'a signature that goes on',
    headers: headers({ 'webhook-signature': `${vector.signature}A` }),
    reason: 'wrong_secret',
  },
  {
    about: 'a signature outside of ASCII',
    headers: headers({ 'webhook-signature': 'ñ' }),
    reason: 'wrong_secret',
  },
  { about: 'another id', headers: headers({ 'webhook-id': 'another' }), reason: 'wrong_secret' },
  {
    about: 'another time',
    headers: headers({ 'webhook-timestamp': String(at + 1) }),
    reason: 'wrong_secret',
  },
  { about: 'an old delivery', now: at + 301, reason: 'old_timestamp' },
  { about: 'one from the future', now: at - 301, reason: 'future_timestamp' },
  ...['now', '-5', '1.5', '٣', '9'.repeat(13), ` ${at}`, `${at}\n`].map((timestamp) => ({
    about: `the timestamp ${JSON.stringify(timestamp)}`,
    headers: headers({ 'webhook-timestamp': timestamp }),
    reason: 'malformed_header',
  })),
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
    about: `an empty ${name}`,
    headers: headers({ [name]: ' ' }),
    reason: 'missing_header',
  })),
  { about: 'no headers', headers: { 'x-other': 'a' }, reason: 'missing_header' },
];

/** Whole bodies that are not an object of JSON. */
const malformed = [
  '"hello"',
  '[]',
  'null',
  '1',
  '',
  ' ',
  'no JSON',
  '{',
  '{}}',
  '{}\0',
  "{'a':1}",
  '{a:1}',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{,}',
  '{"a":1 "b":2}',
  '{"a":[1,]}',
  '{"a":[,1]}',
  '{"a":[1 2]}',
  '{"a":tru}',
  '{"a":01}',
  ...words('{"a":1.} {"a":.5} {"a":+1} {"a":1e} {"a":-} {"a":0x1}'),
  '{"a":"\\x"}',
  '{"a":"\\u12g4"}',
  '{"a":"\n"}',
  '{"a":"',
  '{"a":"\\u12',
  '{"a":"b"c}',
  `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`,
  Buffer.from('{"a":"\xff"}', 'latin1'),
  Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1'),
];

/** Values of JSON, and how they may be written again where that is another way. */
const values: readonly { written: string; again?: readonly string[] }[] = [
  { written: 'null' },
  { written: 'true' },
  { written: '[false,0,-1,[],"",{"b":"c"}]' },
  { written: '9007199254740993' },
  { written: '9999999999.97', again: ['"9999999999.97"'] },
  { written: '12345678901234567890.12345678', again: ['"12345678901234567890.12345678"'] },
  { written: '123456789012345678901234', again: ['"123456789012345678901234"'] },
  { written: '0.10', again: ['"0.10"'] },
  { written: '"12.50, 1e5 and \\\\"' },
  { written: '"\\u00e9\\ud83c\\udf55\\u2028\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000"' },
];

test('the published vector is signed as these tests sign', () => {
  expect(sign(body)).toBe(vector.signature);
});

describe.each(languagesHere)('the client for $name', (language) => {
  const { ask, askText } = useDriver(language);
  const command = (given: Given) => ({
    do: 'verify' as const,
    secrets: given.secrets ?? [vector.secret],
    headers: given.headers ?? headers(),
    body: (given.body ?? body).toString('base64'),
    now: given.now ?? at,
  });

  test.each(right)('trusts $about', async ({ about: _, ...given }) => {
    const { event, error } = await ask(command(given));
    expect(error).toBeUndefined();
    expect(event).toMatchObject({ id: vector.id, type: JSON.parse(vector.body).type });
  });

  test.each(wrong)('does not trust $about', async ({ about: _, reason, ...given }) => {
    expect((await ask(command(given))).error).toMatchObject({ kind: 'webhook', reason });
  });

  test('does not take what is signed for an event where it is no object of JSON', async () => {
    const answers = await Promise.all(malformed.map((text) => ask(command(signed(text)))));
    const taken = malformed.filter((_, index) => answers[index]?.error?.reason !== 'malformed_body');
    expect(taken.map(String)).toEqual([]);
  });

  test.each(values)('reads $written exactly', async ({ written, again = [] }) => {
    const answer = await askText(command(signed(` {"a" : ${written} ,\r\n\t"b":{}} `)));
    const [, found = answer] = /"a":\s*(.*?),\s*"b":/s.exec(answer) ?? [];
    // Texts and lists may be written in other ways: their values are compared.
    if (/^["[]/.test(written)) expect(JSON.parse(found)).toEqual(JSON.parse(written));
    else expect([written, ...again]).toContain(found);
  });
});
