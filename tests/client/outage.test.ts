import { type ComandaClient, createClient, listAll, wasReplayed } from '@comanda/client';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { useApi } from '../support/api.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';

// Two processes are started.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const here = useApi();
let service: TestProcess;
const start = (port = '0') =>
  startProcess({ entry: 'api', env: { DATABASE_URL: here.databaseUrl, PORT: port } });

beforeAll(async () => {
  service = await start();
});
afterAll(() => service.stop());

// So long that a slow start does not end the calls: what is held here is that they end with the outage.
const clientOf = (): ComandaClient =>
  createClient({ url: service.url ?? '', key: here.key.key, timeoutMs: 110_000 });

it('outlasts a service that is killed and starts again: every call is answered, every product is there once', async () => {
  const comanda = clientOf();
  const { port } = new URL(service.url ?? '');
  const makes = (from: number) =>
    Array.from({ length: 40 }, (_, index) => {
      const name = `product ${from + index}`;
      return comanda.products.create.mutate({ name, description: '', price: 1 });
    });
  const before = makes(0);
  await Promise.race(before);
  const killed = service.stop('SIGKILL');
  const meanwhile = [...makes(40), comanda.locations.getCurrent.query()];
  expect((await killed).signal).toBe('SIGKILL');
  const late = makes(80);
  service = await start(port);
  const made = await Promise.all([...before, ...late]);
  await Promise.all(meanwhile);
  expect(made.every((product) => wasReplayed(product) || product.name !== '')).toBe(true);
  const names: string[] = [];
  for await (const { name } of listAll(comanda.products.list)) names.push(name);
  const all = Array.from({ length: 120 }, (_, index) => `product ${index}`);
  expect(names.sort()).toEqual(all.sort());
});
