import { describe, expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { callComanda } from '../support/command.ts';
import { createOrderKitchen, placeOrder } from '../support/orders.ts';

const api = useApi();
const settings = () => ({
  DATABASE_URL: api.databaseUrl,
  ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
});
const comanda = (...argv: string[]) => callComanda(settings(), ...argv, '--json');

describe('among several locations --location was asked for, though the id says it, of', () => {
  it('an order', async () => {
    const there = await api.place();
    const { token: key } = there;
    const kitchen = await createOrderKitchen(there);
    const rest: typeof api.rest = (route, options) => api.rest(route, { key, ...options });
    const { id } = await placeOrder({ rest }, kitchen);
    const { stdout } = await comanda('orders', 'show', id);
    expect(JSON.parse(stdout)).toMatchObject({ order: { id } });
  });

  it('a job, and an id that nothing has still asks for it', async () => {
    const locationId = await api.make.location();
    const { id } = await api.prisma.syncJob.create({
      data: { locationId, status: 'failed', totalItems: 1 },
    });
    const { stdout } = await comanda('jobs', 'retry', id);
    expect(JSON.parse(stdout)).toMatchObject({ job_id: id, status: 'queued' });
    const refused = JSON.parse((await comanda('jobs', 'retry', locationId)).stdout);
    expect(refused.error.message).toContain('there are several; say which');
  });
});
