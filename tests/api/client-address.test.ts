import type { IncomingMessage } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { clientAddressBehind } from '../../packages/api/src/call/client-address.ts';
import { useApi } from '../support/api.ts';
import { useOrderKitchen } from '../support/orders.ts';
import { startProcess } from '../support/processes.ts';

const api = useApi();
const kitchen = useOrderKitchen(api);

const from = (remoteAddress: string | undefined, forwarded?: string | string[]) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

const proxies = ['10.0.0.0/8', 'fd00::/8', '127.0.0.1/32'];

it.each([
  ['the connection says who calls', [], from('203.0.113.7'), '203.0.113.7'],
  ['what a client wrote itself is not believed', [], from('203.0.113.7', '198.51.100.1'), '203.0.113.7'],
  ['nor where it comes past the proxy', proxies, from('203.0.113.7', '198.51.100.1'), '203.0.113.7'],
  ['a proxy names the client', proxies, from('10.1.2.3', '198.51.100.1'), '198.51.100.1'],
  ['two proxies name the client', proxies, from('::ffff:10.1.2.3', '198.51.100.1, 10.9.9.9'), '198.51.100.1'],
  [
    'an address that a client wrote is before that of a proxy',
    proxies,
    from('10.0.0.1', '1.1.1.1, 2.2.2.2'),
    '2.2.2.2',
  ],
  ['no trusted proxy wrote a text that is no address', proxies, from('10.0.0.1', 'x, "unknown"'), '10.0.0.1'],
  ['over IPv6', proxies, from('fd00::1', '2001:db8:0:0::9'), '2001:db8::9'],
  ['two headers are one', proxies, from('10.0.0.1', ['1.1.1.1', '2.2.2.2, 10.0.0.2']), '2.2.2.2'],
  ['all are ours', proxies, from('10.0.0.1', '10.0.0.2'), '10.0.0.2'],
  ['a connection that is gone', proxies, from(undefined, '2.2.2.2'), undefined],
])('%s', (_, ranges, request, address) => {
  expect(clientAddressBehind(ranges)(request)).toBe(address);
});

it('the audit and the log name the address of the client behind a proxy (operations, F12)', async () => {
  const running = await startProcess({
    entry: 'api',
    env: { DATABASE_URL: api.databaseUrl, LOG_LEVEL: 'info', TRUSTED_PROXIES: '127.0.0.1/32,::1/128' },
  });
  onTestFinished(async () => void (await running.stop()));
  const call = async (address: string, operation: string, input: object) => {
    const headers = { authorization: `Bearer ${api.key.key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${running.url}/trpc/${operation}`, {
      method: 'POST',
      headers: { ...headers, 'x-forwarded-for': `192.0.2.1, ${address}` },
      body: JSON.stringify({ ...input, idempotencyKey: address }),
    });
    expect([operation, answer.status]).toEqual([operation, 200]);
  };
  await call('198.51.100.7', 'turns.open', {});
  const { payment } = await kitchen.place();
  await call('198.51.100.8', 'payments.complete', { id: payment.id });

  const entries = await api.client().audit.list.query({});
  expect(entries.data.map(({ operation, client_address }) => [operation, client_address])).toEqual([
    ['payments.complete', '198.51.100.8'],
    ['turns.open', '198.51.100.7'],
  ]);
  const logged = running.output().match(/"clientAddress":"[^"]+"/g);
  expect(logged).toEqual(['198.51.100.7', '198.51.100.8'].map((address) => `"clientAddress":"${address}"`));
});
