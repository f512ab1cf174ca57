import { newId } from '@comanda/db';
import { TRPCClientError } from '@trpc/client';
import { beforeAll, expect, test } from 'vitest';
import { cellsOf, openRestaurant } from '../../../tests/locations/cells.ts';
import { useFolder, usePlace } from '../../../tests/locations/moving.ts';
import { openHand } from '../../../tests/support/by-hand.ts';
import { type Chance, createChance } from '../../../tests/support/chance.ts';
import { trials } from '../../../tests/support/trials.ts';
import { useClosed } from '../../../tests/support/use.ts';

const north = usePlace();
const south = usePlace();
const folder = useFolder();
const useHands = (place: typeof north) => ({
  owner: useClosed(() => openHand(place.api.databaseUrl)),
  admin: useClosed(() => openHand(place.api.databaseUrl, 'admin')),
});
const cells = {
  north: { place: north, ...useHands(north) },
  south: { place: south, ...useHands(south) },
};

// A move waits until all is published.
beforeAll(() => Promise.all([north.startWorker(), south.startWorker()]));

const days = trials(20, 200);
/** In one of so many days the location moves to the other cell. */
const moves = trials(12, 25);

/** A payment as the test knows it. */
interface Known {
  payment: string;
  order: string;
}

// After any events of a day, concurrent ones too, a completed payment is in one settlement once, or waits, or was imported.
test.each([11, 12, 13])(
  'no cent is lost or counted twice over random days (seed %i)',
  async (seed) => {
    const chance = createChance(seed);
    const map = cellsOf(folder.path, north, south);
    const { id: locationId, key, kitchen } = await openRestaurant(north, `Books ${seed}`);
    const cellAt = (name: keyof typeof cells) => ({
      name,
      ...cells[name],
      client: cells[name].place.api.client(key),
    });
    let here = cellAt('north');
    const known: Known[] = [];
    const done = { tasks: 0, refused: 0, moves: 0 };

    const place = async () => {
      const { id, payment } = await here.client.orders.create.mutate({
        external_id: newId(),
        identifier: 'Table 4',
        is_take_away: false,
        payment_method_id: kitchen.paymentMethodId,
        items: [{ product_id: kitchen.productId, quantity: chance.between(1, 9) }],
        idempotencyKey: newId(),
      });
      known.push({ payment: payment.id, order: id });
    };
    const some = (own: Chance): Known | undefined => known[own.between(0, known.length - 1)];
    const task: Record<string, (own: Chance) => Promise<unknown>> = {
      place,
      complete: async (own) => here.client.payments.complete.mutate({ id: some(own)?.payment ?? '' }),
      reject: async (own) =>
        own.percent(30) && here.client.payments.reject.mutate({ id: some(own)?.payment ?? '' }),
      cancel: async (own) =>
        own.percent(30) && here.client.orders.cancel.mutate({ id: some(own)?.order ?? '' }),
      refund: async (own) =>
        here.client.payments.refund.mutate({
          id: some(own)?.payment ?? '',
          amount: own.between(1, 2_000) / 100,
          reason: 'cold',
          person: 'Ana',
          idempotencyKey: newId(),
        }),
      open: () => here.client.turns.open.mutate(),
      close: (own) => here.client.turns.close.mutate({ open_next: own.percent(60) }),
    };
    // A session does one thing at a time.
    const bySession: Record<string, (own: Chance) => Promise<unknown>> = {
      completeMany: (own) =>
        here.admin.sql`
          update payments set status = 'completed' where location_id = ${locationId} and status = 'pending' and id = any (${[some(own)?.payment, some(own)?.payment, some(own)?.payment]})`,
      closeByHand: () =>
        here.admin.sql`
          update turns set status = 'closed' where location_id = ${locationId} and status = 'open'`,
      openByHand: () => here.admin.sql('insert into turns (location_id) values ($1)', [locationId]),
      repair: (own) =>
        here.owner.deed(
          'repair: by mistake',
          'update payments set status = $2::payment_status where id = $1',
          [some(own)?.payment, own.pick(['pending', 'rejected', 'completed'])],
        ),
      reprice: (own) =>
        here.owner.deed('repair: another amount', 'update payments set amount = $2 where id = $1', [
          some(own)?.payment,
          own.between(1, 2_000) / 100,
        ]),
      import: (own) =>
        here.owner.deed(
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
      // A write to the old cell meanwhile is refused, or moves along.
      await Promise.all([...lanes, day % moves === moves - 1 && move()]);
      await requireBooks();
    }
    expect(done.moves).toBeGreaterThan(0);
    expect(done.refused).toBeLessThan(done.tasks * 0.75);
    expect(frozen.size).toBeGreaterThan(days / 10);
    process.stdout.write(
      `books: seed ${seed}, ${days} days, ${done.tasks} tasks, ${done.refused} refused, ${frozen.size} settlements, ${done.moves} moves\n`,
    );

    async function move() {
      const [from, to] = [here, cellAt(here.name === 'north' ? 'south' : 'north')];
      const argv = [locationId, '--to', to.name, ...map.options];
      const moving = await from.place.begin('disable: done', 'locations', 'move', ...argv);
      expect(await moving.ended, moving.said()).toBe(0);
      const left = await from.place.comanda('locations', 'delete', locationId, '--confirm', `Books ${seed}`);
      expect(left.code, left.stderr).toBe(0);
      here = to;
      done.moves += 1;
    }

    /** The list of payments of one kind, in cents. */
    async function listed(books: 'unsettled' | 'before_books'): Promise<bigint> {
      let cents = 0n;
      for (let offset = 0, more = true; more; offset += 200) {
        const { data, pagination } = await here.client.payments.list.query({
          books,
          limit: 200,
          offset,
          include: ['books'],
        });
        for (const { amount, unsettled = 0 } of data)
          cents += BigInt(Math.round((books === 'unsettled' ? unsettled : amount) * 100));
        more = offset + 200 < pagination.total;
      }
      return cents;
    }

    async function requireBooks() {
      const sums = await here.owner.sql<
        Record<'completed' | 'settled' | 'entries' | 'open' | 'waiting' | 'before', string>
      >`
        select
        (select coalesce(sum(amount), 0) from payments where location_id = ${locationId} and status = 'completed') as completed,
        (select coalesce(sum(total_collected), 0) from settlements where location_id = ${locationId}) as settled,
        (select coalesce(sum(e.amount), 0) from settlement_entries e join settlements s using (location_id, turn_id)
          where e.location_id = ${locationId} and e.kind <> 'refund') as entries,
        (select coalesce(sum(e.amount), 0) from settlement_entries e join turns t on t.location_id = e.location_id and t.id = e.turn_id
          where e.location_id = ${locationId} and e.kind <> 'refund' and t.status = 'open') as open,
        (select coalesce(sum(amount), 0) from settlement_entries where location_id = ${locationId} and kind <> 'refund' and turn_id is null) as waiting,
        (select coalesce(sum(p.amount), 0) from payments p where p.location_id = ${locationId} and p.status = 'completed' and not exists (
          select from settlement_entries e where e.location_id = ${locationId} and e.payment_id = p.id)) as before`;
      const [sum] = sums;
      const cents = (text = '') => BigInt(Math.round(Number(text) * 100));
      expect(cents(sum?.settled)).toBe(cents(sum?.entries));
      expect(cents(sum?.settled) + cents(sum?.open) + cents(sum?.waiting) + cents(sum?.before)).toBe(
        cents(sum?.completed),
      );
      // The guide's sum, of what the API lists.
      expect(await listed('unsettled')).toBe(cents(sum?.waiting));
      expect(await listed('before_books')).toBe(cents(sum?.before));
      const wrong = await here.owner.sql`
        select p.id, p.status, p.amount, b.* from payments p cross join lateral collected_of(p.location_id, p.id) b
        where p.location_id = ${locationId} and (b.refunded > b.collected
          or b.known and b.collected <> case p.status when 'completed' then p.amount else 0 end)`;
      expect(wrong).toEqual([]);
      const waiting = await here.owner.sql`
        select from settlement_entries e join turns t on t.location_id = e.location_id and t.status = 'open'
        where e.location_id = ${locationId} and e.turn_id is null`;
      expect(waiting).toEqual([]);
      // The API says the same, and what was settled once never changes.
      const { data, pagination } = await here.client.settlements.list.query({ limit: 3 });
      expect(pagination.total).toBeGreaterThanOrEqual(frozen.size);
      for (const { id } of data) {
        const settlement = await here.client.settlements.get.query({ id });
        const { data: entries } = await here.client.settlements.entries.query({ id, limit: 200 });
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
