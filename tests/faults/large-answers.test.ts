import { connect, type Socket } from 'node:net';
import { openDatabase } from '@comanda/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { reportFault } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';

// A process with a small heap, and lists whose pages have 4 MiB in characters of two bytes.
const heapMegabytes = 96;
const atOnce = 40;
/** One read at a time, on a machine that may be busy. */
const patient = { timeoutMs: 90_000 };

let own: TestDatabase;
let api: TestProcess;
let key: string;
let other: string;
beforeAll(async () => {
  own = await createTestDatabase();
  const database = openDatabase({ url: own.url, poolSize: 2 });
  const shop = async (products: number) => {
    const locationId = await createLocation(database);
    await database.pool.query(
      `insert into products (location_id, sku, name, price, description)
       select $1, 'large-' || n, 'p', 1, repeat('€', 10000) from generate_series(1, $2::int) n`,
      [locationId, products],
    );
    return (await createKey(database, { locationId, perMinute: 1_000_000 })).key;
  };
  [key, other] = [await shop(200), await shop(1)];
  await database.close();
  api = await startProcess({
    entry: 'api',
    env: { DATABASE_URL: own.url, API_PROCESSES: '1' },
    flags: [`--max-old-space-size=${heapMegabytes}`],
  });
}, 60_000);
afterAll(async () => {
  await api.stop();
  await own.drop();
});

const batch = `/trpc/${Array.from({ length: 10 }, () => 'products.list').join(',')}?batch=1`;
const inputs = JSON.stringify({ ...Array.from({ length: 10 }, () => ({ limit: 200 })) });
const ways: Record<string, [path: string, init: RequestInit]> = {
  'over REST': ['/v2/products?limit=200', {}],
  'in a call of tRPC': [`/trpc/products.list?input=${encodeURIComponent('{"limit":200}')}`, {}],
  'in ten calls of one request': [batch, { method: 'POST', body: inputs }],
};

test.each(Object.entries(ways))(
  'forty large lists at once %s do not end a process with a small heap',
  async (way, [path, init]) => {
    const counts = { served: 0, refused: 0, inPart: 0 };
    const ask = async () => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers };
      const answer = await fetch(`${api.url}${path}`, { ...init, headers });
      const bytes = (await answer.arrayBuffer()).byteLength;
      const { status } = answer;
      expect([200, 207, 503]).toContain(status);
      if (status !== 200) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      else expect(bytes).toBeGreaterThan(0);
      counts[status === 200 ? 'served' : status === 207 ? 'inPart' : 'refused'] += 1;
    };
    await Promise.all(Array.from({ length: atOnce }, ask));
    reportFault(`large lists at once ${way}`, { trials: 1, real: 1, ...counts });
    expect(counts.served + counts.inPart).toBeGreaterThan(0);
    await waitFor('a list to be served as before', async () => (await list(key)).status === 200, patient);
  },
  120_000,
);

test('callers that do not take their answers are refused further ones, and another location is served', async () => {
  const callers = Array.from({ length: atOnce }, openIdleReader);
  try {
    await waitFor(
      'every caller to have an answer',
      () => callers.every(({ head }) => head() !== ''),
      patient,
    );
    const refused = callers.filter(({ head }) => /^HTTP\/1.1 503 [\s\S]*\r\nRetry-After: \d/.test(head()));
    const served = callers.filter(({ head }) => head().startsWith('HTTP/1.1 200 '));
    expect(refused.length).toBeGreaterThan(0);
    expect(served.length).toBeGreaterThan(0);
    expect(refused.length + served.length).toBe(callers.length);
    // A refusal can also be for want of a slot, with room left for answers: idle readers come until there is none.
    const isRefused = async () => {
      callers.push(openIdleReader());
      return (await list(key)).status === 503;
    };
    await waitFor('a further one to be refused', isRefused, patient);
    expect((await list(other)).status).toBe(200);
  } finally {
    for (const { socket } of callers) socket.destroy();
  }
  await waitFor('the location to be served again', async () => (await list(key)).status === 200, patient);
}, 120_000);

test('a process whose heap is too small for large answers refuses to start, and says what it needs', async () => {
  const env = { DATABASE_URL: own.url, API_PROCESSES: '1' };
  const started = startProcess({ entry: 'api', env, flags: ['--max-old-space-size=72'] });
  await expect(started).rejects.toThrow(/exit code 78[\s\S]*--max-old-space-size/);
}, 60_000);

async function list(by: string): Promise<Response> {
  const answer = await fetch(`${api.url}/v2/products?limit=200`, {
    headers: { authorization: `Bearer ${by}` },
  });
  await answer.arrayBuffer();
  return answer;
}

/** Asks for a list and reads no more than the beginning of its answer. */
function openIdleReader(): { socket: Socket; head(): string } {
  const { hostname, port } = new URL(api.url ?? '');
  const socket = connect(Number(port), hostname);
  let head = '';
  socket.on('error', () => {});
  socket.once('data', (chunk: Buffer) => {
    head = chunk.toString('latin1');
    socket.pause();
  });
  socket.write(`GET /v2/products?limit=200 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  return { socket, head: () => head };
}
