import fc from 'fast-check';
import { expect, test } from 'vitest';
import { useApi } from '../support/api.ts';
import { send, tools } from './entrance.ts';

const api = useApi();

const methods = ['tools/call', 'tools/list', 'initialize', 'ping', 'server/discover', 'subscriptions/listen'];
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
/** Of each member a right value half of the time, so that messages get past the first check. */
const oftenOf = (...right: unknown[]) => fc.oneof(fc.constantFrom(...right), fc.jsonValue());
const message = fc.record(
  {
    jsonrpc: oftenOf('2.0'),
    id: oftenOf(1, 'a'),
    method: oftenOf(...methods, 'notifications/initialized', 'notifications/cancelled'),
    params: fc.oneof(
      fc.jsonValue(),
      fc.record(
        { name: oftenOf(...tools.keys()), arguments: oftenOf({}), _meta: oftenOf(meta) },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: [] },
);
const headers = fc.record(
  {
    'mcp-protocol-version': fc.constantFrom('2026-07-28', '2025-11-25', '1999-01-01', 'x'),
    'mcp-method': fc.constantFrom(...methods),
    'mcp-name': fc.constantFrom('orders_list', 'x'),
  },
  { requiredKeys: [] },
);

test('any message is answered as JSON, without a fault of the service', async () => {
  const { key } = await api.make.key({ permissions: ['orders:read'] });
  await fc.assert(
    fc.asyncProperty(message, headers, async (body, more) => {
      const answer = await send(api.url, key, body, more);
      expect(answer.status).toBeLessThan(500);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(answer.text).not.toMatch(/at .*\.m?[jt]s:\d+/);
    }),
    { seed: 7, numRuns: 400 },
  );
});
