import type { Answer } from '../../support/api.ts';
import { json } from '../../support/money.ts';
import type { Chance } from './chance.ts';
import { isScarce, type Offer, type OfferedProduct, type OfferedSubselection } from './offer.ts';
import { atOnce, dataIn, type Restaurant, wentThrough } from './restaurant.ts';
import {
  bodyOf,
  type CreatedOrder,
  type Draft,
  type Line,
  type Method,
  type TalliedOrder,
  type Tally,
  type Target,
} from './tally.ts';

/** The possible fates of an order. Each fate but the first and the last is a race. */
export type Fate =
  | 'served'
  | 'ready or canceled'
  | 'closed or canceled'
  | 'canceled twice'
  | 'paid or rejected'
  | 'left';

/** How often each fate comes, of twenty. */
export const fates: readonly Fate[] = [
  ...Array<Fate>(6).fill('served'),
  ...Array<Fate>(4).fill('ready or canceled'),
  ...Array<Fate>(3).fill('closed or canceled'),
  ...Array<Fate>(2).fill('canceled twice'),
  ...Array<Fate>(3).fill('paid or rejected'),
  ...Array<Fate>(2).fill('left'),
];

/** Counts of events of the day, for the report. */
export interface Happenings {
  sent: number;
  refused: number;
  sentTwice: { real: number; all: number };
  races: { real: number; all: number };
}

/** The waiters: they draw orders, send them and serve them. */
export interface Service {
  restaurant: Restaurant;
  offer: Offer;
  tally: Tally;
  chance: Chance;
  methods: readonly Method[];
  happenings: Happenings;
  /** The answer to the creation of each order, by idempotency key. */
  answers: Map<string, string>;
  /** Whether a turn is open. */
  inTurn: boolean;
}

const channels = ['counter', 'web', 'delivery-app', 'kiosk'] as const;

/** Draws an order. `products` are those it may name. */
export function drawOrder(
  { chance, methods }: Service,
  index: number,
  products: readonly OfferedProduct[],
): Draft {
  const lines = Array.from({ length: chance.between(1, 4) }, () => drawLine(chance, chance.pick(products)));
  return {
    version: index % 3 === 0 ? 'v1' : 'v2',
    key: `key-${index}`,
    externalId: `POS ${index}/é`,
    ...(index % 25 !== 24 && { channel: channels[index % 4] ?? '' }),
    takeAway: chance.percent(30),
    identifier: chance.pick(['Table 4', '', 'Bar']),
    method: chance.pick(methods),
    lines,
  };
}

function drawLine(chance: Chance, product: OfferedProduct): Line {
  const milli = isScarce(product)
    ? 1_000n
    : BigInt(chance.percent(40) ? chance.between(1, 4_999) : chance.between(1, 4) * 1_000);
  return {
    product,
    milli,
    choices: product.subselections.flatMap((choice) => drawChoices(chance, choice)),
    ...(chance.percent(20) && { comment: 'sin azúcar ☕' }),
  };
}

// The legal choices: one size; of the extras up to three in all, the third at least twice, one named twice adds up.
function drawChoices(chance: Chance, { items, min }: OfferedSubselection): Line['choices'] {
  const [first, second, third] = items;
  if (first === undefined || second === undefined || third === undefined) return [];
  if (min === 1) return [{ item: chance.pick(items), count: 1 }];
  return chance.pick([
    [],
    [{ item: first, count: 3 }],
    [
      { item: second, count: 1 },
      { item: first, count: 2 },
    ],
    [{ item: third, count: 2 }],
    [
      { item: second, count: 1 },
      { item: second, count: 1 },
    ],
  ]);
}

/** Sends it; with `twice`, at once through both processes. Undefined when there was not enough stock. */
export async function sendOrder(
  { restaurant, tally, happenings, answers, inTurn }: Service,
  draft: Draft,
  { turn, twice }: { turn: number; twice: boolean },
): Promise<TalliedOrder | undefined> {
  const send = (through: number) => () => postDraft(restaurant, through, draft);
  const { results, real } = await atOnce(twice ? [send(turn), send(turn + 1)] : [send(turn)]);
  happenings.sent += 1;
  if (twice) {
    happenings.sentTwice.all += 1;
    if (real) happenings.sentTwice.real += 1;
  }
  const accepted = results.filter(({ status }) => status === 201);
  const [answer] = accepted;
  if (answer === undefined) {
    for (const { status, text } of results)
      if (status !== 422 || !text.includes('insufficient stock')) throw new Error(`${status}: ${text}`);
    happenings.refused += 1;
    return undefined;
  }
  const replays = accepted.filter(({ headers }) => headers.get('idempotency-replayed') === 'true');
  if (accepted.length - replays.length !== 1)
    throw new Error(`${draft.key} was made ${accepted.length - replays.length} times`);
  if (accepted.some(({ text }) => text !== answer.text))
    throw new Error(`${draft.key} was answered differently`);
  answers.set(draft.key, answer.text);
  const created = dataIn<CreatedOrder & { total: number; status: string }>(answer, 201);
  const order = tally.place(draft, created, inTurn);
  if (created.total !== json(order.cents) || created.status !== 'pending')
    throw new Error(`${draft.key} should total ${json(order.cents)}: ${answer.text}`);
  if (!twice || accepted.length === 2) return order;
  throw new Error(`${draft.key} was sent twice and refused once: ${results.map(({ text }) => text).join()}`);
}

/** Posts it to one of the two processes. */
export const postDraft = (restaurant: Restaurant, turn: number, draft: Draft): Promise<Answer> =>
  restaurant.call(turn, `POST /${draft.version}/orders`, {
    body: bodyOf(draft),
    headers: { 'idempotency-key': draft.key },
  });

/** Leads it to its fate. */
export async function serve(service: Service, order: TalliedOrder, fate: Fate, turn: number): Promise<void> {
  const move = (through: number, to: Target) => () => tryMove(service, order, turn + through, to);
  const pay = (through: number, how: 'complete' | 'reject') => () =>
    tryPay(service, order, turn + through, how);
  const race = (...calls: (() => Promise<boolean>)[]) => raceFor(service, order, calls);
  switch (fate) {
    case 'served':
      if (turn % 2 === 0) await must(pay(1, 'complete'));
      await must(move(0, 'ready'));
      await must(move(1, 'closed'));
      if (turn % 2 === 1) await must(pay(0, turn % 3 === 0 ? 'reject' : 'complete'));
      return;
    case 'ready or canceled':
      // Canceling is legal before and after: it always wins, ready may come first.
      return requireWins(await race(move(0, 'ready'), move(1, 'canceled')), [false, true], [true, true]);
    case 'closed or canceled':
      if (turn % 2 === 0) await must(pay(0, 'complete'));
      await must(move(0, 'ready'));
      return requireWins(await race(move(0, 'closed'), move(1, 'canceled')), [true, false], [false, true]);
    case 'canceled twice':
      return requireOne(await race(move(0, 'canceled'), move(1, 'canceled'), move(0, 'canceled')));
    case 'paid or rejected':
      if (turn % 2 === 0)
        return requireOne(await race(pay(0, 'complete'), pay(1, 'reject'), pay(1, 'complete')));
      return requireWins(
        await race(pay(0, 'complete'), move(1, 'canceled')),
        ...[
          [true, true],
          [false, true],
        ],
      );
    case 'left':
      if (turn % 2 === 0) await must(move(0, 'ready'));
  }
}

async function raceFor({ happenings }: Service, { id }: TalliedOrder, calls: (() => Promise<boolean>)[]) {
  const { results, real } = await atOnce(calls);
  happenings.races.all += 1;
  if (real) happenings.races.real += 1;
  return { id, wins: results };
}

function requireWins({ id, wins }: { id: string; wins: boolean[] }, ...possible: boolean[][]): void {
  if (!possible.some((outcome) => outcome.join() === wins.join()))
    throw new Error(`race for ${id}: ${wins.join()}`);
}

function requireOne({ id, wins }: { id: string; wins: boolean[] }): void {
  if (wins.filter((won) => won).length !== 1) throw new Error(`race for ${id}: ${wins.join()}`);
}

async function must(call: () => Promise<boolean>): Promise<void> {
  if (!(await call())) throw new Error('a legal move was refused');
}

/** Moves it, by one of the ways that there are; false when the move was refused as a conflict. */
export async function tryMove({ restaurant, tally }: Service, order: TalliedOrder, turn: number, to: Target) {
  const reason = `reason ${turn}`;
  const byCancel = to === 'canceled' && turn % 3 > 0;
  const answer = byCancel
    ? await restaurant.call(turn, `POST /v2/orders/${order.id}/cancel`, { body: { reason } })
    : await restaurant.call(turn, `PATCH /v${(turn % 2) + 1}/orders/${order.id}/status`, {
        body: { status: to },
      });
  if (answer.status === 409) return false;
  const moved = dataIn<{ status: string; cancel_reason?: string }>(answer);
  if (moved.status !== to) throw new Error(`moved to ${to}, is ${moved.status}`);
  tally.moved(order, to);
  if (byCancel) order.cancelReason = reason;
  return true;
}

/** Completes or rejects its payment through the typed client; false when that was refused as a conflict. */
export async function tryPay(
  { restaurant }: Service,
  order: TalliedOrder,
  turn: number,
  how: 'complete' | 'reject',
): Promise<boolean> {
  const done = await wentThrough(restaurant.client(turn).payments[how].mutate({ id: order.payment.id }));
  if (done) order.paid.push(how === 'complete' ? 'completed' : 'rejected');
  return done;
}
