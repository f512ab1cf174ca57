import { exampleInput, exampleOf } from '../../../packages/api/src/documents/examples.ts';
import { plainResources } from '../../contract/kitchen.ts';
import { operations } from '../../support/documented.ts';
import type { Shop } from '../shop.ts';

/** In products.ts, as the typed client alone makes them, and in prices.ts. */
const workedElsewhere = ['subselections', 'subselectionItems', 'priceChanges'];

/** Every resource that its own operations make and change, as their examples say. */
export async function workOnPlainResources({ call }: Shop): Promise<void> {
  for (const resource of plainResources().filter((name) => !workedElsewhere.includes(name))) {
    const all = operations.filter(({ name }) => name.startsWith(`${resource}.`));
    const find = (verb: string) => all.find(({ name }) => name === `${resource}.${verb}`);
    const [create, update] = [find('create'), find('update')];
    const path = create?.routes[0]?.path;
    if (create === undefined || path === undefined)
      throw new Error(`${resource} needs work in tests/plans/work`);
    const { id } = await call(`POST ${path}`, exampleInput(create));
    if (update !== undefined) {
      const { id: _id, ...changes } = exampleOf(update.input) as Record<string, unknown>;
      await call(`PATCH ${path}/${id}`, changes);
    }
    if (find('get') !== undefined) await call(`GET ${path}/${id}`);
    if (find('list') !== undefined) await call(`GET ${path}?limit=10`);
    if (find('delete') !== undefined) await call(`DELETE ${path}/${id}`);
  }
}
