import { json } from '../support/money.ts';
import type { Caller } from './acts.ts';
import { type Change, changeOf, drawEdit, type Edit, editBody, isShortFor } from './edits.ts';
import { isScarce } from './offer.ts';
import { adoptLineIds, type PlacedOrder, statusOf, type Target } from './orders.ts';
import { latestPayment, paymentStatusOf, refundedOf } from './payments.ts';

/** An edit that was decided from what the service showed. */
interface Plan {
  edit: Edit;
  change: Change | undefined;
  tag: string;
}

/** The fates of an order; all but the first two are races. */
export async function serve(caller: Caller, order: PlacedOrder | undefined): Promise<void> {
  if (order === undefined) return;
  const { chance, plain = false } = caller;
  const move = (to: Target) => () => tryMove(caller, order, to);
  const pay = (how: 'complete' | 'reject') => () => tryPay(caller, order, how);
  if (!plain && chance.percent(35)) await edit(caller, order);
  const fate = chance.between(1, plain ? 20 : 30);
  if (fate <= 2) {
    if (chance.percent(50)) await must(move('ready'));
  } else if (fate <= 8) {
    const early = chance.percent(50);
    if (early) await must(pay('complete'));
    await must(move('ready'));
    await must(move('closed'));
    if (!early) await must(pay(chance.percent(30) ? 'reject' : 'complete'));
  } else if (fate <= 12) {
    // Canceling is legal before and after: it always wins, ready may come first.
    await race(order, [move('ready'), move('canceled')], ['01', '11']);
  } else if (fate <= 15) {
    if (chance.percent(50)) await must(pay('complete'));
    await must(move('ready'));
    await race(order, [move('closed'), move('canceled')], ['10', '01']);
  } else if (fate <= 17) {
    await race(order, [move('canceled'), move('canceled'), move('canceled')], ['100', '010', '001']);
  } else if (fate <= 20) {
    if (chance.percent(50))
      await race(order, [pay('complete'), pay('reject'), pay('complete')], ['100', '010', '001']);
    else await race(order, [pay('complete'), move('canceled')], ['11', '01']);
  } else if (fate <= 24) await raceEdit(caller, order);
  else if (fate <= 27) await payAfterRejection(caller, order);
  else await giveBack(caller, order);
}

/** Comes back to an order that the caller placed, which may be in any state: edits it, pays it, or gives some of it back. */
export async function revisit(caller: Caller): Promise<void> {
  const { chance, model, number, plain = false } = caller;
  if (plain || model.orders.length === 0) return;
  const found = Array.from({ length: 8 }, () => chance.pick(model.orders)).find(({ by }) => by === number);
  if (found === undefined) return;
  if (chance.percent(50)) await edit(caller, found);
  else if (paymentStatusOf(found) === 'completed') await refund(caller, found, chance.percent(30) ? 2n : 1n);
  else {
    const allowed = statusOf(found) !== 'canceled' && paymentStatusOf(found) === 'rejected';
    if ((await tryAddPayment(caller, found)) !== allowed) throw new Error(`another payment of ${found.id}`);
  }
}

async function race(
  { id }: PlacedOrder,
  calls: (() => Promise<boolean>)[],
  possible: string[],
): Promise<void> {
  const wins = (await Promise.all(calls.map((call) => call()))).map(Number).join('');
  if (!possible.includes(wins)) throw new Error(`race for ${id}: ${wins}`);
}

async function must(call: () => Promise<boolean>): Promise<void> {
  if (!(await call())) throw new Error('a legal move was refused');
}

/**
 * Moves it by one of the ways that there are; false where the move was refused as a conflict. The model learns of it after `before`, which
 * can only have happened earlier.
 */
async function tryMove(
  { ask, chance, model }: Caller,
  order: PlacedOrder,
  to: Target,
  before?: Promise<unknown>,
): Promise<boolean> {
  const reason = `reason ${chance.between(1, 9)}`;
  const byCancel = to === 'canceled' && chance.percent(60);
  const { status, text } = byCancel
    ? await ask(`POST /v2/orders/${order.id}/cancel`, { reason })
    : await ask(`PATCH /v${chance.between(1, 2)}/orders/${order.id}/status`, { status: to });
  await before;
  if (status === 409) return false;
  if (status !== 200 || JSON.parse(text).data.status !== to) throw new Error(`moved to ${to}: ${text}`);
  model.move(order, to);
  if (byCancel) order.cancelReason = reason;
  return true;
}

/** Completes or rejects its payment; false where that was refused as a conflict. */
async function tryPay(
  { ask, chance, model, plain = false }: Caller,
  order: PlacedOrder,
  how: 'complete' | 'reject',
  before?: Promise<unknown>,
): Promise<boolean> {
  const payment = latestPayment(order);
  const { id } = payment;
  const { status, text } =
    plain || chance.percent(50)
      ? await ask(`POST /trpc/payments.${how}`, { id })
      : await ask(`POST /v2/payments/${id}/${how}`, {});
  await before;
  if (status === 409) return false;
  if (status !== 200) throw new Error(`${how} of ${id}: ${text}`);
  model.pay(payment, how === 'complete' ? 'completed' : 'rejected');
  return true;
}

/** Adds another payment; false where that was refused as a conflict. */
async function tryAddPayment({ ask, chance, model }: Caller, order: PlacedOrder): Promise<boolean> {
  const method = chance.pick(model.methods);
  const { status, text } = await ask(`POST /v2/orders/${order.id}/payments`, {
    payment_method_id: method.id,
  });
  if (status === 409) return false;
  const { data } = JSON.parse(text);
  if (status !== 201 || data.amount !== json(order.cents) || data.status !== 'pending')
    throw new Error(`another payment of ${order.id}, which comes to ${json(order.cents)}: ${text}`);
  model.addPayment(order, data, method);
  return true;
}

/** Gives back part of the latest payment; false where that was refused as a conflict. */
async function tryRefund(
  { ask, chance, model }: Caller,
  order: PlacedOrder,
  cents: bigint,
): Promise<boolean> {
  const payment = latestPayment(order);
  const reason = `too cold ${chance.between(1, 9)}`;
  const { status, text } = await ask(`POST /v2/payments/${payment.id}/refund`, {
    amount: json(cents),
    reason,
  });
  if (status === 409) return false;
  if (status !== 200) throw new Error(`refund of ${payment.id}: ${text}`);
  model.refund(payment, cents, reason);
  return true;
}

/** Gives back half of what is left of a payment, or with `times` 2 more than that is. */
async function refund(caller: Caller, order: PlacedOrder, times: bigint): Promise<void> {
  const payment = latestPayment(order);
  const left = payment.cents - refundedOf(payment);
  const cents = (left / 2n + 1n) * times;
  if ((await tryRefund(caller, order, cents)) !== cents <= left)
    throw new Error(`${json(cents)} of ${json(left)} were given back of ${payment.id}, or not`);
}

async function giveBack(caller: Caller, order: PlacedOrder): Promise<void> {
  const { chance } = caller;
  await must(() => tryPay(caller, order, 'complete'));
  // More than half each: of two at once one wins.
  const half = latestPayment(order).cents / 2n + 1n;
  const back = () => tryRefund(caller, order, half);
  if (half > 1n) await race(order, [back, back], ['10', '01']);
  if (chance.percent(60)) await refund(caller, order, 1n);
  if (chance.percent(30)) await must(() => tryMove(caller, order, 'canceled'));
}

async function payAfterRejection(caller: Caller, order: PlacedOrder): Promise<void> {
  const { chance } = caller;
  const add = () => tryAddPayment(caller, order);
  const pay = (how: 'complete' | 'reject') => () => tryPay(caller, order, how);
  await must(pay('reject'));
  // The rejected payment keeps its amount, the next one has that of the order.
  if (chance.percent(40)) await edit(caller, order);
  if (chance.percent(20)) {
    await race(order, [add, () => tryMove(caller, order, 'canceled')], ['11', '01']);
    return;
  }
  await race(order, [add, add], ['10', '01']);
  if (chance.percent(30)) {
    await must(pay('reject'));
    await must(add);
  }
  if (chance.percent(40)) await edit(caller, order);
  if (chance.percent(70)) await race(order, [pay('complete'), add], ['10']);
}

/** Draws an edit from what the service shows of an order now. */
async function planEdit({ ask, chance, model, number }: Caller, order: PlacedOrder): Promise<Plan> {
  const { status, text, etag } = await ask(`GET /v2/orders/${order.id}?include=details`);
  if (status !== 200 || etag === undefined) throw new Error(`order ${order.id} without a tag: ${text}`);
  adoptLineIds(order, JSON.parse(text).data.items);
  const isOwn = order.lines.some(({ product }) => product.owner !== undefined);
  const pool = model.offer.products.filter(
    (product) => product.owner === (isOwn ? number : undefined) && !isScarce(product),
  );
  const edit = drawEdit(chance, order, pool);
  return { edit, change: changeOf(order, edit), tag: etag };
}

const send = ({ ask }: Caller, order: PlacedOrder, { edit, tag }: Plan) =>
  ask(`PATCH /v2/orders/${order.id}`, editBody(edit), undefined, tag);

/** Edits an order, or is refused where it must be. */
async function edit(caller: Caller, order: PlacedOrder): Promise<void> {
  const plan = await planEdit(caller, order);
  const { status, text } = await send(caller, order, plan);
  if (!allowedStatuses(order, plan).includes(status))
    throw new Error(`edit of ${order.id} ${JSON.stringify(editBody(plan.edit))}: ${status} ${text}`);
  if (status === 200) learn(caller, order, plan, text);
}

function allowedStatuses(order: PlacedOrder, { edit, change }: Plan): number[] {
  if (statusOf(order) !== 'pending') return [409];
  if (change === undefined) return [422];
  const { contents } = change;
  if (contents && contents.cents !== order.cents && paymentStatusOf(order) === 'completed') return [409];
  if (isShortFor(order, change)) return [422];
  // Others buy what is scarce at the same time.
  const wantsScarce = edit.items?.change.some(
    ({ line, milli }) => milli !== undefined && isScarce(line.product),
  );
  return wantsScarce ? [200, 422] : [200];
}

function learn({ model }: Caller, order: PlacedOrder, { change }: Plan, text: string): void {
  if (change === undefined) throw new Error(`order ${order.id} was edited: ${text}`);
  model.edit(order, change);
  const { data } = JSON.parse(text);
  if (data.total !== json(order.cents) || data.items.length !== order.lines.length)
    throw new Error(`order ${order.id} should come to ${json(order.cents)}: ${text}`);
}

/** Edits it while another call changes it. A move or an edit that comes first makes the tag an old one; a payment does not. */
async function raceEdit(caller: Caller, order: PlacedOrder): Promise<void> {
  const { chance } = caller;
  const isSure = (plan: Plan) =>
    plan.change?.isChange === true && allowedStatuses(order, plan).join() === '200';
  const plan = await planEdit(caller, order);
  const other = await planEdit(caller, order);
  if (!isSure(plan) || !isSure(other)) return;
  const editing = tryEdit(caller, order, plan);
  const roll = chance.between(1, 4);
  if (roll === 1) await race(order, [() => editing, () => tryEdit(caller, order, other)], ['10', '01']);
  else if (roll === 2)
    await race(order, [() => editing, () => tryMove(caller, order, 'ready', editing)], ['11', '01']);
  else if (roll === 3)
    await race(order, [() => editing, () => tryMove(caller, order, 'canceled', editing)], ['11', '01']);
  else if (chance.percent(50))
    await race(order, [() => editing, () => tryPay(caller, order, 'complete', editing)], ['11', '01']);
  else {
    const { id, cents } = latestPayment(order);
    await race(order, [() => editing, () => tryPay(caller, order, 'reject', editing)], ['11']);
    const { amount } = await caller.data<{ amount: number }>(`GET /v2/payments/${id}`);
    if (amount === json(cents) && cents !== order.cents) caller.model.rejectBeforeEdit(order, cents);
  }
}

/** Edits it; false where its tag was an old one, or it was no longer pending. */
async function tryEdit(caller: Caller, order: PlacedOrder, plan: Plan): Promise<boolean> {
  const { status, text } = await send(caller, order, plan);
  if (status === 409 || status === 412) return false;
  if (status !== 200) throw new Error(`edit of ${order.id}: ${status} ${text}`);
  learn(caller, order, plan, text);
  return true;
}
