import { newId } from '@comanda/db';
import { TRPCClientError } from '@trpc/client';
import { expect, test } from 'vitest';
import { type Chance, createChance } from '../e2e/day/chance.ts';
import { useApi } from '../support/api.ts';
import { useHand } from '../support/by-hand.ts';
import { createKey, createLocation } from '../support/factories.ts';
import { createOrderKitchen, placeOrder } from '../support/orders.ts';
import { trials } from '../support/trials.ts';

const api = useApi();
const owner = useHand(api);
const admin = useHand(api, { role: 'admin' });

const days = trials(20, 200);

/** A payment as the test knows it. */
interface Known {
  payment: string;
  order: string;
}

// Whatever happens in a day, and at the same time: a completed payment is in one settlement once, or waits, or was imported.
test.each([11, 12, 13])(
  'no cent is lost or counted twice over random days (seed %i)',
  async (seed) => {
    const chance = createChance(seed);
    const locationId = await createLocation(api.app.database);
    const { key } = await createKey(api.app.database, { locationId });
    const client = api.client(key);
    const kitchen = await createOrderKitchen(api, locationId);
    const known: Known[] = [];
    const done = { tasks: 0, refused: 0 };

    const place = async () => {
      const { id, payment } = await placeOrder(
        { rest: (route, call) => api.rest(route, { key, ...call }) },
        kitchen,
        { items: [{ product_id: kitchen.productId, quantity: chance.between(1, 9) }] },
      );
      known.push({ payment: payment.id, order: id });
    };
    const some = (own: Chance): Known | undefined => known[own.between(0, known.length - 1)];
    const byHand = (hand: typeof owner, text: string, values: unknown[]) => hand.sql(text, values);
    const task: Record<string, (own: Chance) => Promise<unknown>> = {
      place,
      complete: async (own) => client.payments.complete.mutate({ id: some(own)?.payment ?? '' }),
      reject: async (own) =>
        own.percent(30) && client.payments.reject.mutate({ id: some(own)?.payment ?? '' }),
      cancel: async (own) => own.percent(30) && client.orders.cancel.mutate({ id: some(own)?.order ?? '' }),
      refund: async (own) =>
        client.payments.refund.mutate({
          ...{ id: some(own)?.payment ?? '', amount: own.between(1, 2_000) / 100 },
          ...{ reason: 'cold', person: 'Ana', idempotencyKey: newId() },
        }),
      open: () => client.turns.open.mutate(),
      close: (own) => client.turns.close.mutate({ open_next: own.percent(60) }),
    };
    // A session does one thing at a time.
    const bySession: Record<string, (own: Chance) => Promise<unknown>> = {
      completeMany: (own) =>
        byHand(
          admin,
          `update payments set status = 'completed' where location_id = $1 and status = 'pending' and id = any ($2)`,
          [locationId, [some(own)?.payment, some(own)?.payment, some(own)?.payment]],
        ),
      closeByHand: () =>
        byHand(admin, `update turns set status = 'closed' where location_id = $1 and status = 'open'`, [
          locationId,
        ]),
      openByHand: () => byHand(admin, 'insert into turns (location_id) values ($1)', [locationId]),
      repair: (own) =>
        owner.deed('repair: by mistake', 'update payments set status = $2::payment_status where id = $1', [
          some(own)?.payment,
          own.pick(['pending', 'rejected', 'completed']),
        ]),
      import: (own) =>
        owner.deed(
          'import: of the old system',
          `with o as (
           insert into orders (location_id, id, number, total, status, payment_method_id, created_at)
           select $1, $2, max(number) + 1000, 7.77, 'closed', $3, '2020-01-01Z' from orders where location_id = $1 returning *
         ), p as (insert into payments (location_id, order_id, payment_method_id, amount, status)
           select location_id, id, payment_method_id, total, 'completed' from o returning *)
         insert into settlement_entries (location_id, order_id, payment_id, kind, amount)
         select location_id, order_id, id, 'payment', amount from p where $4`,
          [locationId, newId(), kitchen.paymentMethodId, own.percent(50)],
        ),
    };
    const attempt = async (work: (own: Chance) => Promise<unknown>, own: Chance) => {
      done.tasks += 1;
      try {
        await work(own);
      } catch (error) {
        if (!(error instanceof TRPCClientError) && !(error instanceof Error && 'code' in error)) throw error;
        done.refused += 1;
      }
    };
    const frozen = new Map<string, string>();

    await place();
    for (let day = 0; day < days; day += 1) {
      const lanes = Array.from({ length: 4 }, async (_, lane) => {
        const own = createChance(seed * 1_000_000 + day * 10 + lane);
        for (let step = 0; step < 4; step += 1)
          await attempt(own.pick(Object.values(lane === 3 ? bySession : task)), own);
      });
      await Promise.all(lanes);
      await requireBooks();
    }
    expect(done.refused).toBeLessThan(done.tasks * 0.75);
    expect(frozen.size).toBeGreaterThan(days / 10);
    process.stdout.write(
      `books: seed ${seed}, ${days} days, ${done.tasks} tasks, ${done.refused} refused, ${frozen.size} settlements\n`,
    );

    async function requireBooks() {
      const sums = await owner.sql<
        Record<'completed' | 'settled' | 'entries' | 'open' | 'waiting' | 'before', string>
      >(
        `select
         (select coalesce(sum(amount), 0) from payments where location_id = $1 and status = 'completed') as completed,
         (select coalesce(sum(total_collected), 0) from settlements where location_id = $1) as settled,
         (select coalesce(sum(e.amount), 0) from settlement_entries e join settlements s using (location_id, turn_id)
           where e.location_id = $1 and e.kind <> 'refund') as entries,
         (select coalesce(sum(e.amount), 0) from settlement_entries e join turns t on t.location_id = e.location_id and t.id = e.turn_id
           where e.location_id = $1 and e.kind <> 'refund' and t.status = 'open') as open,
         (select coalesce(sum(amount), 0) from settlement_entries where location_id = $1 and kind <> 'refund' and turn_id is null) as waiting,
         (select coalesce(sum(p.amount), 0) from payments p where p.location_id = $1 and p.status = 'completed' and not exists (
           select from settlement_entries e where e.location_id = $1 and e.payment_id = p.id)) as before`,
        [locationId],
      );
      const [sum] = sums;
      const cents = (text = '') => BigInt(text.replace('.', ''));
      expect(cents(sum?.settled)).toBe(cents(sum?.entries));
      expect(cents(sum?.settled) + cents(sum?.open) + cents(sum?.waiting) + cents(sum?.before)).toBe(
        cents(sum?.completed),
      );
      const wrong = await owner.sql(
        `select p.id, p.status, p.amount, b.* from payments p cross join lateral collected_of(p.location_id, p.id) b
       where p.location_id = $1 and (b.refunded > b.collected
         or b.known and b.collected <> case p.status when 'completed' then p.amount else 0 end)`,
        [locationId],
      );
      expect(wrong).toEqual([]);
      const waiting = await owner.sql(
        `select from settlement_entries e join turns t on t.location_id = e.location_id and t.status = 'open'
       where e.location_id = $1 and e.turn_id is null`,
        [locationId],
      );
      expect(waiting).toEqual([]);
      // The API says the same, and what was settled once never changes.
      const { data, pagination } = await client.settlements.list.query({ limit: 3 });
      expect(pagination.total).toBeGreaterThanOrEqual(frozen.size);
      for (const { id } of data) {
        const settlement = await client.settlements.get.query({ id });
        const { data: entries } = await client.settlements.entries.query({ id, limit: 200 });
        const collected = entries.filter(({ kind }) => kind !== 'refund');
        expect(collected.reduce((total, { amount }) => total + Math.round(amount * 100), 0)).toBe(
          Math.round((settlement.total_collected ?? 0) * 100),
        );
        const text = JSON.stringify({ settlement, entries });
        expect(frozen.get(id) ?? text).toBe(text);
        frozen.set(id, text);
      }
    }
  },
  900_000,
);
