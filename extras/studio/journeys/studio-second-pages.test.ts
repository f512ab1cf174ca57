import { beforeAll, expect, test, vi } from 'vitest';
import { useBrowser } from '../../../tests/browser/browser.ts';
import { fillAuditedTables } from '../../../tests/db/audited-rows.ts';
import { openHand } from '../../../tests/support/by-hand.ts';
import { use, useClosed } from '../../../tests/support/use.ts';
import { useWorkerKit } from '../../../tests/worker/kit.ts';
import { startStudio } from '../tests/run.ts';
import { sitDown } from './admin.ts';

// Every table and view of Studio, with more rows than a page has: the second page is there and has other rows.

const kit = useWorkerKit();
const studio = useClosed(() => startStudio(kit.url, ['--as', 'ana', '--edit']));
beforeAll(async () => {
  const hand = await openHand(kit.url);
  await fillAuditedTables(hand, kit.locationId);
  await hand.sql('begin');
  await hand.sql(`select deed('import: rows that the service writes')`);
  for (const sql of services) await hand.sql(sql, sql.includes('$1') ? [kit.locationId] : []);
  await hand.sql('commit');
  await hand.close();
}, 180_000);
const browser = useBrowser();
const ana = use(() => sitDown(browser, studio));

/** More rows than a page has of each table that no person fills, and what the views show. */
const services = [
  `insert into settlement_entries (location_id, order_id, payment_id, kind, amount)
   select location_id, order_id, id, 'payment', 1 from payments where location_id = $1 limit 40`,
  `insert into sync_jobs (location_id, status, total_items) select $1, 'failed', 1 from generate_series(1, 40)`,
  `insert into events (location_id, id, number, type, resource_id, body, created_at)
   select location_id, uuid_v7(), 100000 + row_number() over (), 'order.created', id, jsonb_build_object('id', id, 'data', jsonb_build_object('id', id)), now()
   from orders where location_id = $1`,
  `insert into webhook_deliveries (location_id, endpoint_id, event_id, status, attempts)
   select location_id, (select id from webhook_endpoints where location_id = $1 limit 1), id, 'dead', 1 from events where location_id = $1`,
  `insert into webhook_attempts (location_id, delivery_id, endpoint_id, event_id, event_type, attempt, status, response_code, duration_ms, attempted_at)
   select location_id, id, endpoint_id, event_id, 'order.created', 1, 'dead', 503, 5, now() from webhook_deliveries where location_id = $1`,
  `insert into price_changes (location_id, effective_at, prices, total_prices)
   select $1, now() + interval '1 day', '[]', 1 from generate_series(1, 40)`,
  `insert into certifications (location_id, status, does)
   select $1, 'passed', '{}' from generate_series(1, 40)`,
  `insert into locations (name) select 'Restaurant ' || n from generate_series(1, 40) n where $1::uuid is not null`,
  `do $do$ begin for n in 1..40 loop update products set description = 'Edit ' || n where sku = 'sku 1'; end loop; end $do$`,
  `update product_stock set quantity = 1, min_stock_alarm = 5 where location_id = $1`,
];

/** The rows that the grid shows, each as its texts. */
const shown = (): Promise<string[]> =>
  ana.page.evaluate(
    `[...document.querySelectorAll('tr:has(td[data-grid-row-index])')].map((row) => row.innerText)`,
  );

/** Whether a page has rows, and none of these. */
const isAnother = (page: readonly string[], first: readonly string[]): boolean =>
  page.length > 0 && !page.some((row) => first.includes(row));

test('the second page of a table or a view was empty, or the first one again', {
  timeout: 600_000,
}, async () => {
  const { rows } = await studio.query(
    `select "fk_con"."confkey"`, // The description of tables, as the page asks for it.
  );
  const names = (rows as { name: string }[]).map(({ name }) => name).toSorted();
  expect(names.length).toBeGreaterThan(20);
  const wrong: string[] = [];
  for (const name of names) {
    await ana.open(`#schema=public&table=${name}`);
    const first = await shown();
    await ana.page.evaluate(`location.hash = '#schema=public&table=${name}&pageIndex=1'`);
    // What never comes is among the wrong ones, as it is then.
    await vi
      .waitUntil(async () => isAnother(await shown(), first), { timeout: 45_000, interval: 100 })
      .catch(() => {});
    const second = await shown();
    if (first.length !== 25 || !isAnother(second, first))
      wrong.push(`${name}: ${first.length} rows, then ${second.length}`);
  }
  expect(wrong).toEqual([]);
  expect(ana.complaints).toEqual([]);
});
