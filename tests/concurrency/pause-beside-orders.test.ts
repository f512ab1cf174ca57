import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createProduct } from '../support/factories.ts';
import { orderBody } from '../support/orders.ts';
import { trials } from '../support/trials.ts';
import { waitFor } from '../support/wait.ts';
import { useTwoServers } from './two-servers.ts';

const two = useTwoServers();
const rounds = trials(3, 60);

it('once a pause is answered by one process, no order that begins later is made by any', async () => {
  const { database, locationId, paymentMethodId } = two;
  const productId = await createProduct(database, { locationId });
  const order = (lane: number) => two.order(lane, randomUUID(), orderBody({ productId, paymentMethodId }));
  for (let round = 0; round < rounds; round += 1) {
    let made = 0;
    let isPaused = false;
    let ordering = true;
    const wrong: unknown[] = [];
    let refused = 0;
    const lanes = Array.from({ length: 12 }, async (_, lane) => {
      while (ordering) {
        const beganLater = isPaused;
        const { status, headers } = await order(lane);
        const reason = headers.get('x-error-reason');
        if (status === 201) made += 1;
        else if (reason === 'location_paused') refused += 1;
        if (beganLater ? reason !== 'location_paused' : status !== 201 && reason !== 'location_paused')
          wrong.push([status, reason]);
      }
    });
    await waitFor('orders of both', () => made >= 24);
    const answer = await two.call(round, 'POST /v2/locations/current/pause', { body: {} });
    isPaused = true;
    expect(answer.status, answer.text).toBe(200);
    const atPause = refused;
    await waitFor('refusals of both', () => refused >= atPause + 48);
    ordering = false;
    await Promise.all(lanes);
    expect(wrong).toEqual([]);
    expect((await two.call(round, 'POST /v2/locations/current/resume', { body: {} })).status).toBe(200);
  }
});
