import { expect, test } from 'vitest';
import { fill, says } from './actions.ts';
import { useDesk } from './app.ts';

const { api, desk } = useDesk();

/** Each row that is edited at the desk: where, the label of a field, and how another session changes it. */
const rows: Record<string, () => Promise<Row>> = {
  location: async () => ({
    path: 'location',
    label: 'Name',
    typed: 'Of Ana',
    others: 'Of Berta',
    change: (name) => api.client().locations.update.mutate({ id: api.locationId, name }),
    read: async () => (await api.client().locations.getCurrent.query()).name,
  }),
  async 'price of a product'() {
    const id = await api.make.product({ price: 95 });
    return {
      path: `products/${id}`,
      label: 'Price',
      typed: '150',
      others: '140',
      change: (price) => api.client().products.update.mutate({ id, price: Number(price) }),
      read: async () => String((await api.client().products.get.query({ id })).price),
    };
  },
  async 'stock of a product'() {
    const id = await api.make.product({ stock: { enabled: true, quantity: 3 } });
    return {
      path: `products/${id}`,
      label: 'Left',
      typed: '12',
      others: '7',
      change: (quantity) =>
        api.client().products.update.mutate({
          id,
          stock: { enabled: true, quantity: Number(quantity), min_stock_alarm: 0 },
        }),
      read: async () => String((await api.client().products.get.query({ id })).stock.quantity),
    };
  },
  async 'name of a category'() {
    const id = await api.make.category();
    return {
      path: `categories/${id}`,
      label: 'Name',
      typed: 'Of Ana',
      others: 'Of Berta',
      change: (name) => api.client().categories.update.mutate({ id, name }),
      read: async () => (await api.client().categories.get.query({ id })).name,
    };
  },
  async 'name of a payment method'() {
    const id = await api.make.paymentMethod();
    return {
      path: `payment-methods/${id}`,
      label: 'Name',
      typed: 'Of Ana',
      others: 'Of Berta',
      change: (name) => api.client().paymentMethods.update.mutate({ id, name }),
      read: async () => (await api.client().paymentMethods.get.query({ id })).name,
    };
  },
};

interface Row {
  path: string;
  label: string;
  typed: string;
  others: string;
  change(value: string): Promise<unknown>;
  read(): Promise<string>;
}

test.each(Object.entries(rows))(
  'of two admins at the %s the last won without a word',
  async (_name, make) => {
    const { path, label, typed, others, change, read } = await make();
    const page = await desk(path);
    await fill(page, label, typed);
    await change(others);
    await page.keyboard.press('Enter');
    await says(page, 'Someone else changed it meanwhile.');
    // Both values: what is there, and what was typed.
    await says(page, `Now there: ${others}`);
    expect(await page.evaluate('document.activeElement.value')).toBe(typed);
    expect(await read()).toBe(others);
    await page.keyboard.press('Enter');
    await expect.poll(read).toBe(typed);
  },
);
