import { waitFor } from '../../support/wait.ts';
import type { Shop } from '../shop.ts';
import { keyOf, type Round } from './round.ts';

/** Planned prices: of products and of a category, applied and skipped, and canceled ones. */
export async function workOnPlannedPrices({ call }: Shop, { name, size }: Round): Promise<void> {
  const category = await call('POST /v2/categories', { name: `Planned ${name}`, priority: 5, visible: true });
  const products = [];
  for (let n = 0; n < size; n += 1)
    products.push(
      await call('POST /v2/products', {
        external_id: `planned-${name}-${n}`,
        name: `Planned ${n}`,
        description: '',
        price: 10,
        category_ids: [category.id],
      }),
    );
  const plan = (what: string, body: object, effectiveAt: Date) =>
    call('POST /v2/price-changes', { effective_at: effectiveAt.toISOString(), ...body }, keyOf(what, name));
  const ended = (id: unknown) =>
    waitFor('the prices', async () => {
      const { status } = await call<{ status: string }>(`GET /v2/price-changes/${id}`);
      return status === 'applied';
    });
  const [past, soon, later] = [-1_000, 2_000, 86_400_000].map((ms) => new Date(Date.now() + ms));
  if (past === undefined || soon === undefined || later === undefined) return;

  const prices = products.map((_, n) => ({ external_id: `planned-${name}-${n}`, price: 11 }));
  const first = await plan('prices', { prices }, past);
  await ended(first.id);
  const byCategory = { category_id: category.id, percent: 10 };
  const second = await plan('percent', byCategory, soon);
  const canceled = await plan('canceled', byCategory, later);
  // A price that was changed, one that was changed back, and another change.
  const [changed] = products;
  for (const body of [{ price: 12 }, { price: 11 }]) await call(`PATCH /v2/products/${changed?.id}`, body);
  for (const { id } of products.slice(1)) await call(`PATCH /v2/products/${id}`, { description: 'New' });
  await ended(second.id);
  await call(`DELETE /v2/price-changes/${canceled.id}`);
  await call('GET /v2/price-changes?limit=10');
}
