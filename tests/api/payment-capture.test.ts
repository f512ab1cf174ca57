import { newId } from '@comanda/db';
import { beforeAll, describe, expect, it } from 'vitest';
import { moving } from '../../packages/api/src/resources/payments/moving.store.ts';
import { useApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { before, cameOf, createPayments, named, type PendingPayment } from '../support/moved-payments.ts';

const api = useApi();
const hand = useHand(api);
let methodId: string;
let apiKeyId: string;
beforeAll(async () => {
  const { locationId } = api;
  methodId = await api.make.paymentMethod({ locationId });
  apiKeyId = (await api.make.key({ locationId })).id;
});

const origin = `request-of-a-move 00-${newId().replaceAll('-', '')}-b7ad6b7169203331-01`;

/** The effects when `work` moves a payment. */
async function came(work: (payment: PendingPayment) => Promise<unknown>) {
  const { app, locationId } = api;
  const payments = await createPayments(app.database, { locationId, methodId }, 1);
  const [payment] = payments;
  if (payment === undefined) throw new Error('no payment was made');
  const since = await before(app.database, locationId);
  await work(payment);
  const { counts, audited, captured, ...rows } = await cameOf(app.database, locationId, payments, since);
  const orderRow = JSON.stringify(rows.orders[0]);
  const { number } = (JSON.parse(orderRow) as { row: { number: number } }).row;
  const seeds = [...new Set(captured.map(({ seed }) => seed))];
  const names = new Map([
    ...[payment.id, payment.orderId].map((id, n) => [id, ['payment', 'order'][n] ?? ''] as const),
    ...seeds.map((seed, n) => [String(seed), `seed ${n}`] as const),
  ]);
  // Each is the next order, of another amount.
  const text = JSON.stringify({ ...rows, captured }).replaceAll(`"number":${number}`, '"number":"next"');
  const shown = named(JSON.parse(text.replaceAll(`"amount":${number}.25`, '"amount":"its own"')), names);
  return { shown, counts, audited };
}

const byItself = (to: 'completed' | 'rejected') =>
  came(({ id }) =>
    moving.write(
      api.app.database,
      api.locationId,
      [{ id, to, operation: 'payments.of-a-test', origin, apiKeyId, clientAddress: '192.0.2.7' }],
      false,
    ),
  );

const byTriggers = (to: 'completed' | 'rejected') =>
  came(({ id }) =>
    api.app.database.transaction(undefined, async (tx) => {
      const settings =
        "select set_config('comanda.request_id', $1, true), set_config('comanda.api_key_id', $2, true)";
      await tx.run({ name: 'say who moves', text: settings }, [origin, apiKeyId]);
      const text = 'update payments set status = $3::payment_status where location_id = $1 and id = $2';
      await tx.run({ name: 'move a payment', text }, [api.locationId, id, to]);
    }),
  );

describe.each([false, true])(
  'what move_payment_batch captures, books and touches (a turn is open: %s)',
  (isOpen) => {
    beforeAll(async () => {
      if (isOpen) await hand.sql('insert into turns (location_id) values ($1)', [api.locationId]);
    });

    it.each(['completed', 'rejected'] as const)('is what triggers find in the same rows: %s', async (to) => {
      const [own, theirs] = [await byItself(to), await byTriggers(to)];
      expect(own.shown).toEqual(theirs.shown);
      // Each made one order, and a move counts nothing.
      expect(theirs.counts.map(({ n }) => Number(n) - 1)).toEqual(own.counts.map(({ n }) => n));
      expect(own.shown).toMatchObject({
        payments: [{ row: { status: to }, touched: true }],
        orders: [{ touched: true }],
        captured: [
          { seed: 'seed 0', resource: 'order', changed: ['payment'], resource_ids: ['order'] },
          { seed: 'seed 0', resource: 'payment', changed: ['status'], after: [{ status: to }] },
        ],
        booked: to === 'rejected' ? [] : [{ row: { kind: 'payment', request_id: 'request-of-a-move' } }],
      });
      expect(own.audited).toHaveLength(1);
      expect(own.audited[0]?.row).toMatchObject({
        actor_kind: 'api_key',
        api_key_id: apiKeyId,
        request_id: 'request-of-a-move',
        client_address: '192.0.2.7',
        operation: 'payments.of-a-test',
        changes: { before: { status: 'pending' }, after: { status: to } },
      });
    });
  },
);

it('a manual edit that sets what move_payment_batch sets is still captured and booked', async () => {
  const { shown } = await came(async ({ id }) => {
    await hand.sql("select set_config('comanda.told', 'true', false)");
    await hand.sql("update payments set status = 'completed' where id = $1", [id]);
    await hand.sql("select set_config('comanda.told', '', false)");
  });
  expect(shown).toMatchObject({
    orders: [{ touched: true }],
    captured: [{ resource: 'order' }, { resource: 'payment' }],
    booked: [{ row: { kind: 'payment', payment_id: 'payment' } }],
  });
});
