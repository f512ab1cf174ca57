import { expect } from 'vitest';
import { type Case, type Day, soon } from './day.ts';
import { codeOf } from './recipe.ts';

/** An order that is paid. */
async function paid({ client, kitchen }: Day) {
  const order = await kitchen.place();
  await client.payments.complete.mutate({ id: order.payment.id });
  return order;
}

/** The turn that is open, or a new one. */
const openTurn = ({ client }: Day) => client.turns.getCurrent.query().catch(() => client.turns.open.mutate());

/** The cases of money. */
export const money: readonly Case[] = [
  {
    title: 'A paid order is canceled. How does the guest get the money back?',
    where: 'the desk',
    async carryOut(day) {
      const { client, desk } = day;
      const { number, payment } = await paid(day);
      await desk.follow('Orders');
      await desk.type('Order number or external id', String(number));
      await desk.press('Find');
      await desk.press('Cancel the order');
      await desk.sees('It stays paid: give the money back and record the refund.');
      await desk.type('Reason, if there is one', 'The guest left');
      await desk.answer('Cancel the order');
      await desk.sees('canceled');
      await desk.follow('Orders');
      await desk.choose('Status', 'Canceled and paid');
      await desk.page.until(`document.querySelectorAll('.desk tbody tr').length === 1`);
      await desk.follow('', { row: '12.50', isData: true });
      await desk.press('Record a refund');
      await desk.type('Amount', '12,50');
      await desk.type('Reason', 'The guest left');
      await desk.answer('Record a refund');
      await desk.sees('refund recorded');
      expect(await client.payments.get.query({ id: payment.id, include: ['books'] })).toMatchObject({
        status: 'completed',
        refunded: 12.5,
      });
    },
  },
  {
    title: 'A payment was marked wrongly. How is it taken back?',
    where: 'the command line',
    async carryOut(day) {
      const { client, desk, owner, recipe } = day;
      await openTurn(day);
      const { id, payment } = await paid(day);
      await desk.follow('Orders');
      const sql = codeOf(recipe, 'sql').replaceAll('<order>', id);
      for (const statement of sql.split(/;\s*\n/).filter((each) => each.trim() !== ''))
        await owner.sql(statement);
      desk.lines += sql.trim().split('\n').length;
      expect(await client.payments.get.query({ id: payment.id })).toMatchObject({ status: 'pending' });
    },
  },
  {
    title: 'A turn was left open. How is it closed?',
    where: 'the desk',
    async carryOut(day) {
      const { client, desk } = day;
      const { batch_number } = await openTurn(day);
      await paid(day);
      await desk.follow('Turns');
      await desk.press('Close the turn');
      await desk.type('Cash in the drawer now', '12,50');
      await desk.answer('Close the turn');
      await desk.sees(`Turn ${batch_number} was closed.`);
      await desk.sees('Closed turns and their settlements');
      await soon(async () => (await client.turns.getCurrent.query()).batch_number).not.toBe(batch_number);
    },
  },
  {
    title: 'A settlement does not add up. What is it made of?',
    where: 'the desk',
    async carryOut(day) {
      const { client, desk } = day;
      const { batch_number } = await openTurn(day);
      const { id, payment } = await paid(day);
      await client.payments.refund.mutate({
        id: payment.id,
        amount: 2.5,
        reason: 'Cold',
        person: 'ana',
        idempotencyKey: `refund of ${id}`,
      });
      await client.turns.close.mutate({});
      await desk.follow('Turns');
      await desk.open(`Turn ${batch_number}`);
      await desk.sees('Entries of the settlement');
      for (const part of ['payment', 'refund', 'Cold · ana', '$12.50']) await desk.sees(part);
    },
  },
];
