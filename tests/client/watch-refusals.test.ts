import { type ComandaClient, comandaError } from '@comanda/client';
import { expect, it } from 'vitest';
import { useApi } from '../support/api.ts';

const api = useApi();

type Input = NonNullable<Parameters<ComandaClient['events']['list']['query']>[0]>;
const wrong: [string, Input][] = [
  ['an unknown type', { types: ['order.gone'] as never }],
  ['a misspelled type with another', { types: ['order.creatd', 'order.gone'] as never }],
  ['a place that is no event', { after: 'gone' }],
  ['a place of another location', { after: '01935a3e-7d90-7c3b-a5e6-f70819203142' }],
  ['an unknown type and an empty place', { types: ['order.gone'] as never, after: '' }],
];

const refusalOf = (call: Promise<unknown>) =>
  call.then((value) => expect.fail(`answered ${JSON.stringify(value)}`), comandaError);

it.each(wrong)('%s is refused by the stream with the fields and words of the feed', async (_name, input) => {
  const { events } = api.client();
  const ofFeed = await refusalOf(events.list.query(input));
  const ofStream = await refusalOf(events.watch(input).next());
  expect(ofStream?.fields).not.toEqual([]);
  expect({ ...ofStream, requestId: '' }).toEqual({ ...ofFeed, requestId: '' });
});
