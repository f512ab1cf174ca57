import { describe, expect, it } from 'vitest';
import { createParser, type Sent } from '../../packages/client/src/sse.ts';

describe('server-sent events', () => {
  const text = [
    'retry: 1000',
    'id: a',
    '',
    ':',
    '',
    'id: b',
    'event: order.created',
    'data: {"name":"a: b, é"}',
    '',
    'data:close',
    '',
  ];
  const blocks: Sent[] = [
    { retry: '1000', id: 'a' },
    {},
    { id: 'b', event: 'order.created', data: '{"name":"a: b, é"}' },
    { data: 'close' },
  ];

  it.each(['\n', '\r\n'])('are read in pieces of any size, with lines that end by %j', (end) => {
    const whole = `${text.join(end)}${end}`;
    for (let at = 0; at <= whole.length; at += 1) {
      const parse = createParser();
      expect([...parse(whole.slice(0, at)), ...parse(whole.slice(at))]).toEqual(blocks);
    }
    const parse = createParser();
    expect([...whole].flatMap((letter) => parse(letter))).toEqual(blocks);
  });
});
