import { type ComandaClient, createClient } from '@comanda/client';
import { type LiveListOptions, type LiveOptions, liveList, liveOf } from '@comanda/client/live';
import { afterEach } from 'vitest';
import { useOrderKitchen } from '../support/orders.ts';
import { usePublishingApi } from '../support/published.ts';
import { waitFor } from '../support/wait.ts';

/** A request that a live list made. */
export interface Asked {
  url: string;
  body: string;
}

/** A storage that outlasts a page, as that of a tab does. */
export function createStorage() {
  const texts = new Map<string, string>();
  return {
    texts,
    getItem: (name: string) => texts.get(name) ?? null,
    setItem: (name: string, text: string) => void texts.set(name, text),
    removeItem: (name: string) => void texts.delete(name),
  };
}

/** Holds what passes with this part in its address from `hold` on, until it is let go. */
export function holding(part: string) {
  let letGo = () => {};
  let held: Promise<void> | undefined;
  return {
    hold() {
      held = new Promise((resolve) => {
        letGo = resolve;
      });
    },
    letGo() {
      held = undefined;
      letGo();
    },
    pass: ({ url }: Asked) => (url.includes(part) ? held : undefined),
  };
}

/** A service with a kitchen, and pages that show its orders. */
export function useLiveLists() {
  const api = usePublishingApi();
  const open: { close(): void }[] = [];
  const kitchen = useOrderKitchen(api);
  afterEach(() => {
    for (const live of open.splice(0)) live.close();
  });

  const place = (overrides?: Record<string, unknown>) => kitchen.place(overrides);
  const move = (id: string, status: 'ready' | 'closed' | 'canceled') =>
    api.client().orders.updateStatus.mutate({ id, status });

  /** A page: a client of its own, whose requests pass `before`, which may hold them or throw. */
  function page(
    options: LiveOptions = {},
    before: (asked: Asked) => Promise<unknown> | undefined = () => undefined,
    after: (asked: Asked) => Promise<unknown> | undefined = () => undefined,
  ) {
    const asked: Asked[] = [];
    const send: typeof fetch = async (input, init) => {
      const request = { url: decodeURIComponent(String(input)), body: String(init?.body ?? '') };
      asked.push(request);
      await before(request);
      const answer = await fetch(input, init);
      await after(request);
      return answer;
    };
    const comanda = createClient({ url: api.url, key: api.key.key, fetch: send, retries: 0 });
    const live = liveOf(comanda, options);
    open.push(live);
    const shown = (filters?: Parameters<typeof list>[1], listOptions?: LiveListOptions) => {
      const orders = list(comanda, filters, listOptions);
      const states: string[] = [];
      const end = orders.subscribe(() => {
        const { state } = orders.getSnapshot();
        if (states.at(-1) !== state) states.push(state);
      });
      const ids = () => orders.getSnapshot().data?.map(({ id }) => id) ?? [];
      return {
        orders,
        states,
        end,
        ids,
        statusOf: (id: string) => orders.getSnapshot().data?.find((order) => order.id === id)?.status,
        live: () => waitFor('the list to be live', () => orders.getSnapshot().state === 'live'),
      };
    };
    return { comanda, live, asked, shown };
  }
  return { api, place, move, page };
}

const list = (
  comanda: ComandaClient,
  filters: Parameters<typeof liveList<Entry, Input>>[1],
  options: LiveListOptions | undefined,
) => liveList(comanda.orders.list, filters, options);

type Lists = ComandaClient['orders']['list']['query'];
type Input = NonNullable<Parameters<Lists>[0]>;
type Entry = Awaited<ReturnType<Lists>>['data'][number];
