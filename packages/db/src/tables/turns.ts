import type { Settlement, SettlementEntry, Turn } from '../generated/prisma/client.ts';
import { money, type NumberRule, plain, table, words } from './table.ts';

export const turns = table<Turn>()('turns', {
  columns: {
    ...plain('location_id id'),
    batch_number: { published: true },
    status: { published: true, recorded: 'before and after', edited: true },
    started_at: { published: true },
    ended_at: { published: true },
    starting_cash: { number: money },
    counted: { number: money },
  },
  people: 'edit',
  editEvents: { publish: ['turn.open', 'turn.updated', 'turn.closed', 'settlement.created'] },
  belongs: { sandbox: 'emptied last' },
  published: { as: 'turn', lastState: true },
  guards: [
    {
      never: ['id', 'location_id', 'batch_number', 'started_at'],
      sentence: 'the id, the number and the start of a turn never change',
    },
    {
      never: ['ended_at', 'starting_cash', 'counted'],
      when: "OLD.status = 'closed' OR NOT by_service()",
      sentence: 'a turn ends when it is closed, and a closed turn never changes: set its status alone',
    },
    { kept: 'this turn is settled, so it is kept', when: 'turn_settled(OLD.location_id, OLD.id)' },
  ],
});

const belowZeroToo = (most: string): NumberRule => ({ ...money, least: `-${most}`, most });

const settled = [
  'id location_id turn_id batch_number started_at ended_at total_orders',
  'total_collected average_ticket tips difference payments orders created_at updated_at',
] as const;

export const settlements = table<Settlement>()('settlements', {
  columns: {
    ...plain(...settled),
    total_collected: { number: belowZeroToo('99999999999999999999.99') },
    average_ticket: { number: belowZeroToo('999999999999.99') },
    tips: { number: belowZeroToo('99999999999999999999.99') },
    difference: { number: belowZeroToo('99999999999999999999.99') },
  },
  people: 'read',
  service: ['select'],
  belongs: { partOf: 'turns' },
  published: { as: 'settlement', on: ['insert'] },
  guards: [
    {
      serviceOnly: 'insert',
      sentence: "closing a turn settles it: update turns set status = 'closed'",
    },
    {
      never: words(...settled),
      sentence: 'a settlement is frozen',
    },
    { kept: 'a settlement is kept' },
  ],
});

export const settlementEntries = table<SettlementEntry>()('settlement_entries', {
  columns: {
    ...plain(
      'location_id id turn_id order_id payment_id kind created_at created_by request_id',
      'transaction_at placed_at',
    ),
    amount: { number: belowZeroToo(money.most) },
    reason: {
      length: [1, 500],
      personal: { what: 'why money was given back or a payment corrected', until: 'the location is deleted' },
    },
    person: {
      length: [1, 255],
      personal: { what: 'the person that gave money back', until: 'the location is deleted' },
    },
  },
  people: 'read',
  service: ['select', 'insert'],
  belongs: { partOf: 'orders' },
  serviceOnly: 'entries are made by themselves: complete the payment, or record a refund (payments.refund)',
});
