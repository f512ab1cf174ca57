import { openShop, type Shop } from '../shop.ts';
import type { Round } from './round.ts';

/** The menu of one location copied to another, where it is made and then found. */
export async function workOnCopies({ service, called }: Shop, { name }: Round): Promise<void> {
  const from = await openShop(service, `From ${name}`);
  const to = await openShop(service, `To ${name}`, called);
  const items = [{ external_id: 'oat', name: 'Oat milk', price: 0.5 }];
  const milk = { external_id: 'milk', name: 'Milk', min_selection: 0, max_selection: 1, items };
  const latte = { external_id: 'latte', name: 'Latte', price: 4, subselections: [milk] };
  const categories = [{ external_id: 'coffee', name: 'Coffee', products: [latte] }];
  await from.client.catalog.sync.mutate({ categories });
  const { data } = await from.client.categories.list.query({});
  await from.client.menus.create.mutate({ name: 'Winter', category_ids: data.map(({ id }) => id) });
  const { key: from_key } = await from.client.keys.create.mutate({ name: 'Copy', permissions: ['*'] });
  const { seen } = await to.client.menus.copy.mutate({ from_key, dry_run: true });
  await to.client.menus.copy.mutate({ from_key, seen });
  await from.client.products.update.mutate({ id: await idOf(from), price: 5 });
  await to.client.menus.copy.mutate({ from_key });
}

const idOf = async ({ client }: Shop): Promise<string> =>
  (await client.products.list.query({ search: 'Latte' })).data[0]?.id ?? '';
