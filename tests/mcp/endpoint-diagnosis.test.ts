import { describe, expect, test } from 'vitest';
import { useApi } from '../support/api.ts';
import { useConsumer } from '../support/consumer.ts';
import { makeEndpoint } from '../support/endpoints.ts';
import { createOrderKitchen } from '../support/orders.ts';
import { createSteppedWorker } from '../support/stepped-worker.ts';
import { use } from '../support/use.ts';
import { calling, send } from './entrance.ts';

const encryptionKey = 'the-key-that-api-and-worker-share-here';
const api = useApi(() => ({ encryptionKey }));
const worker = use(
  () => createSteppedWorker(api.databaseUrl, encryptionKey),
  (stepped) => stepped.stop(),
);
/** Answers the status that the path names. */
const consumer = useConsumer(({ path }, response) => {
  response.statusCode = Number(path.slice(1));
  response.end();
});

describe('what is wrong with an endpoint', () => {
  const codesOf = async (token: string, id: string) => {
    const { body } = await send(api.url, token, calling('endpoint_diagnosis', { id }));
    const { structuredContent } = body.result as {
      structuredContent: { data: { endpoints: { findings: { code: string; count?: number }[] }[] } };
    };
    return Object.fromEntries(
      structuredContent.data.endpoints.flatMap(({ findings }) =>
        findings.map(({ code, count }) => [code, count]),
      ),
    );
  };

  test.each([
    ['redirects', 302],
    ['not_authorized', 401],
    ['not_authorized', 403],
    ['not_found', 404],
    ['not_found', 410],
    ['refused', 418],
    ['server_error', 503],
  ])('%s: it answers %i', async (code, status) => {
    const place = await api.place();
    const url = new URL(`/${status}`, consumer.url).href;
    const endpoint = await makeEndpoint(place, ['order.created'], url);
    expect(await codesOf(place.token, endpoint)).toEqual({ no_attempts: undefined });
    await (await createOrderKitchen(place)).place();
    await worker.turn();
    expect(await codesOf(place.token, endpoint)).toEqual({ failing: undefined, [code]: 1 });
  });

  test('slow: an attempt of five seconds or more, also one that arrived', async () => {
    const place = await api.place();
    const endpoint = await makeEndpoint(place, ['order.created'], new URL('/200', consumer.url).href);
    const { place: order } = await createOrderKitchen(place);
    await order();
    await order();
    await worker.turn();
    const attempts = await api.prisma.webhookAttempt.findMany({ where: { endpointId: endpoint } });
    expect(attempts).toHaveLength(2);
    expect(await codesOf(place.token, endpoint)).toEqual({});
    for (const [index, { id }] of attempts.entries())
      await api.prisma.webhookAttempt.updateMany({ where: { id }, data: { durationMs: 4_999 + index } });
    expect(await codesOf(place.token, endpoint)).toEqual({ slow: 1 });
  });
});
