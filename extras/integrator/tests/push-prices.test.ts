import { expect, test } from 'vitest';
import { useApi } from '../../../tests/support/api.ts';
import { useDownload } from './comanda-mjs.ts';

const api = useApi();
const tool = useDownload(api);

const at = ['--at', '2400-01-01T00:00:00-03:00'];
const planned = async () => (await api.rest<{ data: object[] }>('GET /v2/price-changes')).body.data;

test('a file of prices is planned once for a moment, without the rows that are refused', async () => {
  const id = await api.make.product({ externalId: 'A-1', sku: 'S-1', price: 10 });
  tool.save('prices.csv', 'sku;external_id;price\nS-1;;12,5\n;A-999;3\n;A-998;-1\n');
  const run = () => tool.run(['push', 'prices.csv', '--yes', ...at]);
  const { code, stdout, stderr } = await run();
  expect([code, stdout]).toEqual([3, '1 row pushed; 2 refused: prices.refused.csv\n']);
  expect(stderr).toContain('line 3  external_id');
  expect(stderr).toContain("--at '2400-01-01T00:00:00-03:00'".replaceAll("'", ''));
  expect((await run()).stdout).toContain('1 of them before');
  const [change, ...others] = await planned();
  expect(others).toEqual([]);
  expect(change).toMatchObject({ status: 'planned', total_prices: 1 });
  expect((change as { effective_at: string }).effective_at).toMatch(/^(2400-01-01|2399-12-31)T/);
  const { body } = await api.rest(`GET /v2/price-changes/${(change as { id: string }).id}`);
  expect(body).toMatchObject({ data: { prices: [{ product_id: id, before: 10, price: 12.5 }] } });
});

test('a dry run shows what would be planned, and plans nothing', async () => {
  const before = await planned();
  tool.save('prices.csv', 'sku,price\nS-1,13\n');
  const { code, stdout } = await tool.run(['push', 'prices.csv', '--dry-run', ...at]);
  expect([code, stdout]).toEqual([0, 'planned  sku S-1  price 13\n1 planned, 0 refused\n']);
  expect(await planned()).toEqual(before);
});

test('the moment is said with prices, and with nothing else', async () => {
  const without = await tool.run(['push', 'prices.csv', '--yes']);
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('give --at')]);
  tool.save('stock.csv', 'sku,quantity\nS-1,1\n');
  const other = await tool.run(['push', 'stock.csv', '--yes', ...at]);
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('--at is of prices')]);
});
