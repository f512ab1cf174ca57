import type { Chance } from '../support/chance.ts';

/** Whom and when an order is for. */
export interface Carried {
  customer?: { name: string; phone?: string; email?: string; tax_id?: string };
  delivery?: { lines: string[]; city?: string; postal_code?: string; country?: string; note?: string };
  note?: string;
  promised_at?: Promised;
  guests?: number;
}

/** A moment as it is sent, and as the location shows it. */
interface Promised {
  sent: string;
  shown: string;
}

/** An edit of it: null takes a field away. */
export type CarriedEdit = { [Field in keyof Carried]?: Carried[Field] | null };

const customers = [
  { name: 'Ana "A" Silva', phone: '+598 99 000 000', email: 'ana@example.com', tax_id: '21000' },
  { name: 'Bea é' },
];
const deliveries = [
  { lines: ['Av. Italia 2345', 'Apto. 4'], city: 'Montevideo', postal_code: '11300', country: 'UY' },
  { lines: ['1 Water St'], note: 'Blue door' },
];
// In winter and in summer of St. John's.
const promises: Promised[] = [
  { sent: '2026-01-31T21:30Z', shown: '2026-01-31T18:00:00.000-03:30' },
  { sent: '2026-07-01T12:00:00+02:00', shown: '2026-07-01T07:30:00.000-02:30' },
];
const notes = ['Ring twice', 'Sin cebolla ☕', ' '];

/** Draws what an order carries. */
export const drawCarried = (chance: Chance): Carried => ({
  ...(chance.percent(30) && { customer: chance.pick(customers) }),
  ...(chance.percent(20) && { delivery: chance.pick(deliveries) }),
  ...(chance.percent(25) && { note: chance.pick(notes) }),
  ...(chance.percent(20) && { promised_at: chance.pick(promises) }),
  ...(chance.percent(30) && { guests: chance.between(1, 9) }),
});

/** Draws an edit of it: some fields are set, some are taken away, most are left. */
export function drawCarriedEdit(chance: Chance): CarriedEdit {
  const drawn: CarriedEdit = drawCarried(chance);
  if (chance.percent(15)) drawn.note = null;
  if (chance.percent(15)) drawn.customer = null;
  if (chance.percent(10)) drawn.promised_at = null;
  if (chance.percent(10)) drawn.guests = null;
  if (chance.percent(10)) drawn.delivery = null;
  return drawn;
}

/** What is carried after an edit. */
export function editCarried(before: Carried, edit: CarriedEdit): Carried {
  const after = Object.entries({ ...before, ...edit }).filter(([, value]) => value !== null);
  return Object.fromEntries(after) as Carried;
}

/** The fields that send it. */
export const carriedBody = ({ promised_at, ...fields }: CarriedEdit): Record<string, unknown> => ({
  ...fields,
  ...(promised_at !== undefined && { promised_at: promised_at === null ? null : promised_at.sent }),
});

/** The fields that every reader is shown. */
export const shownCarried = ({ note, promised_at, guests }: Carried): Record<string, unknown> => ({
  ...(note !== undefined && { note }),
  ...(promised_at !== undefined && { promised_at: promised_at.shown }),
  ...(guests !== undefined && { guests }),
});

/** The fields that `include=customer` adds. */
export const shownCustomer = ({ customer, delivery }: Carried): Record<string, unknown> => ({
  ...(customer !== undefined && { customer }),
  ...(delivery !== undefined && { delivery }),
});
