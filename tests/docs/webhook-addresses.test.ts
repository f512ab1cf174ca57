import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@comanda/db';
import { describe, expect, test } from 'vitest';
import { callRest, useApi } from '../support/api.ts';
import { startProcess } from '../support/processes.ts';

const unset = useApi();
const addresses = ['192.0.2.10', '203.0.113.0/28', '2001:db8::/48'];
const set = useApi(() => ({ webhookSourceAddresses: addresses }));

const lines = async ({ url }: { url: string }) =>
  (await callRest(url, 'GET /docs/webhook-addresses.txt')).text.trimEnd().split('\n');
const json = async ({ url }: { url: string }) =>
  (await callRest(url, 'GET /docs/webhook-addresses.json')).body;

describe('the addresses that webhooks come from', () => {
  test('are shown to anybody where the operator has set them', async () => {
    expect(await json(set)).toEqual({ published: true, addresses });
    expect(await lines(set)).toEqual([expect.stringMatching(/^# .*from these addresses/), ...addresses]);
  });

  test('are not taken for none at all where nothing is set', async () => {
    expect(await json(unset)).toEqual({ published: false, addresses: [] });
    expect(await lines(unset)).toEqual([expect.stringMatching(/^# .*no fixed addresses.*Verify/)]);
  });

  test('are asked for again when they have changed, and not kept by a cache', async () => {
    const { headers } = await callRest(set.url, 'GET /docs/webhook-addresses.txt');
    expect(headers.get('cache-control')).toBe('no-cache');
    const held = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    const again = await Promise.all(
      [set, unset].map(({ url }) => callRest(url, 'GET /docs/webhook-addresses.txt', held)),
    );
    expect(again.map(({ status }) => status)).toEqual([304, 200]);
  });

  // The process is bundled first.
  test('are those of the environment of the process', { timeout: 120_000 }, async () => {
    const env = { DATABASE_URL: unset.databaseUrl, WEBHOOK_SOURCE_ADDRESSES: addresses.join(', ') };
    const { url = '', stop } = await startProcess({ entry: 'api', env });
    expect(await json({ url })).toEqual({ published: true, addresses });
    await stop();
  });

  test('are linked to from the guide of webhooks', () => {
    const guide = readFileSync(join(repositoryRoot, 'docs/guides/webhooks.md'), 'utf8');
    for (const end of ['txt', 'json']) expect(guide).toContain(`(/docs/webhook-addresses.${end})`);
  });
});
