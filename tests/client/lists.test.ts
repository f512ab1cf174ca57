import {
  createClient,
  followEvents,
  type ListPage,
  listAll,
  noAnswer,
  type PublishedEvent,
} from '@comanda/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { usePublishingApi } from '../support/published.ts';
import { useClosed } from '../support/use.ts';
import { type Between, cut, standBetween } from './between.ts';

const api = usePublishingApi();
const between: Between = useClosed(() => standBetween(api.url));
let key: string;

const names = ['Americano', 'Cortado', 'Espresso', 'Flat White', 'Latte'];
const client = () => createClient({ url: between.url, key });

beforeEach(async () => {
  const locationId = await api.make.location();
  ({ key } = await api.make.key({ locationId }));
  for (const name of names) await api.make.product({ locationId, name, price: 10 });
  between.came.length = 0;
});

async function collect<Entry>(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const found: Entry[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
}

describe('a loop over a list', () => {
  it.each([
    [2, 3],
    [5, 1],
    [200, 1],
  ])('of five has them all in pages of %i, by %i requests', async (limit, requests) => {
    const found = await collect(listAll(client().products.list, { limit }));
    expect(found.map(({ name }) => name)).toEqual(names);
    expect(between.came).toHaveLength(requests);
  });

  it('takes the filters of the list, and begins at the given entry', async () => {
    const comanda = client();
    const found = await collect(listAll(comanda.products.list, { search: 'a', limit: 1, offset: 1 }));
    const { data } = await comanda.products.list.query({ search: 'a' });
    expect(found).toEqual(data.slice(1));
    expect(await collect(listAll(comanda.orders.list))).toEqual([]);
  });

  it('ends where the same page is answered for ever, as by a fake', async () => {
    const answering = (pagination: ListPage<{ id: string }>['pagination']) => {
      let requests = 0;
      const query = async () => {
        requests += 1;
        return requests > 9 ? expect.fail('it never ends') : { data: [{ id: 'o-1' }], pagination };
      };
      return { query };
    };
    for (const [pagination, input] of [
      [{ limit: 1, total: 1 }, {}],
      [{ limit: 1 }, {}],
      [{ limit: 1, next: 'c' }, { cursor: 'a' }],
      [{ limit: 1 }, { cursor: 'a' }],
    ] as const) {
      const found = await collect(listAll(answering(pagination), input));
      expect(new Set(found.map(({ id }) => id))).toEqual(new Set(['o-1']));
    }
  });

  it('looks at its signal where the list does not', async () => {
    const ending = new AbortController();
    const query = async () => ({ data: [{}], pagination: { limit: 1 } });
    const reading = collect(
      (async function* () {
        for await (const entry of listAll({ query }, {}, { signal: ending.signal })) {
          yield entry;
          ending.abort();
        }
      })(),
    );
    expect(noAnswer(await reading.catch((error: unknown) => error))).toBe('aborted');
  });

  it('reads no page before its entries are asked for', async () => {
    for await (const { name } of listAll(client().products.list, { limit: 2 })) {
      expect(name).toBe('Americano');
      break;
    }
    expect(between.came).toHaveLength(1);
  });

  it('has an entry once that another one moves to the next page', async () => {
    const comanda = client();
    const seen: string[] = [];
    let added = '';
    for await (const { id, name } of listAll(comanda.products.list, { limit: 2 })) {
      seen.push(name);
      if (seen.length === 2) added = (await comanda.products.create.mutate({ ...drink, name: 'Aaa' })).id;
      if (id === added) expect.fail('it comes before the place of the loop');
    }
    await comanda.products.delete.mutate({ id: added });
    expect(seen).toEqual(names);
  });

  it('reads what has changed, and gives the cursor to read on with', async () => {
    const comanda = client();
    const updated_since = '2020-01-01T00:00:00Z';
    let cursor: string | undefined;
    const keep = (next: string) => {
      cursor = next;
    };
    const all = await collect(
      listAll(comanda.products.list, { updated_since, limit: 2 }, { onCursor: keep }),
    );
    expect(all.map(({ name }) => name).sort()).toEqual(names);
    const made = await comanda.products.create.mutate({ ...drink, name: 'Mate' });
    const later = await collect(listAll(comanda.products.list, { cursor, limit: 2 }));
    expect(later.map(({ id }) => id)).toContain(made.id);
    await comanda.products.delete.mutate({ id: made.id });
  });

  it('ends with what its signal says', async () => {
    const signal = AbortSignal.abort();
    await expect(collect(listAll(client().products.list, {}, { signal }))).rejects.toThrow(/given up/);
  });
});

const drink = { description: '', price: 5 };

describe('a loop over the feed', () => {
  /** Follows until `count` events came. */
  async function follow(
    count: number,
    options: Parameters<typeof followEvents>[1],
    onEvent: (event: PublishedEvent) => void = () => {},
  ): Promise<string[]> {
    const ending = new AbortController();
    const seen: string[] = [];
    for await (const event of followEvents(client(), { everyMs: 20, signal: ending.signal, ...options })) {
      onEvent(event);
      if (event.type === 'product.created') seen.push(event.data.name);
      if (seen.length === count) ending.abort();
    }
    return seen;
  }

  it('begins now, reaches new entries, and reads on from the kept cursor', async () => {
    const comanda = client();
    // Rows of earlier tests are no news.
    await api.published();
    let kept: string | undefined;
    const cursors: string[] = [];
    const onCursor = async (cursor: string) => {
      cursors.push(cursor);
      if (cursors.length === 1) await comanda.products.create.mutate({ ...drink, name: 'First' });
      kept = cursor;
    };
    const ids: string[] = [];
    expect(
      await follow(1, { after: 'latest', types: ['product.created'], onCursor }, ({ id }) => ids.push(id)),
    ).toEqual(['First']);
    // The cursor comes when the loop is done with what is before it.
    expect(kept).toBe(ids[0]);
    await comanda.products.create.mutate({ ...drink, name: 'Second' });
    expect(await follow(1, { after: kept, types: ['product.created'] })).toEqual(['Second']);
  });

  it('outlasts an outage that the repeats of a call do not', async () => {
    const comanda = client();
    await comanda.products.create.mutate({ ...drink, name: 'Third' });
    between.fates.push(cut, cut, cut, cut);
    const seen = await follow(1, { since: '2020-01-01T00:00:00Z', types: ['product.created'] });
    expect(seen).toHaveLength(1);
    expect(between.fates).toEqual([]);
  });

  it('ends with what no repeat helps', async () => {
    await expect(follow(1, { after: 'nothing' })).rejects.toThrow(/after/);
  });
});
