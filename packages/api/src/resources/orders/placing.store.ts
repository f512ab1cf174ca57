import { newId } from '@comanda/db';
import type { JoinedWrite, KeyedMember } from '../../capacity/joined-writes.ts';
import { decimalText } from './decimals.rules.ts';
import type { OrderEdit } from './edit.schema.ts';
import type { OrderRequest, PricedOrder, Wanted } from './facts.rules.ts';
import { type PlacedRow, placeOrderBatch } from './statements.ts';

/** An order that was decided, for the transaction that makes it. */
export interface PlacedOrder extends KeyedMember {
  request: OrderRequest;
  order: PricedOrder;
  /** Whether it is made although the location is paused. */
  passesPause: boolean;
}

/** The outcome of one. `left` is the remaining stock of the items that it is short of, by id. */
export type Placed =
  | { outcome: 'created'; id: string; response: string }
  | { outcome: 'replayed'; response: string }
  | { outcome: 'reused' | 'stale' | 'busy' | 'paused' }
  | { outcome: 'taken'; by: string }
  | { outcome: 'short'; left: Readonly<Record<string, string>> };

/** A batch has so many lines at most, unless one order has more. */
const mostLines = 1_000;

/** Orders of one location that come at once, made in one transaction by place_order_batch (prisma/sql/orders.sql). */
export const placing: JoinedWrite<PlacedOrder, Placed> = {
  resource: 'orders',
  rows: (member) => wantsOf(member).map(({ id }) => id),
  joins(before, { operation, key, apiKeyId, order }) {
    const lines = before.reduce((sum, each) => sum + each.order.lines.length, order.lines.length);
    const versions = new Map(
      before.flatMap((each) => wantsOf(each).map(({ id, version }) => [id, version] as const)),
    );
    return (
      lines <= mostLines &&
      before.every(
        (each) => each.operation === operation && (each.key !== key || each.apiKeyId !== apiKeyId),
      ) &&
      // All of them are held against what is there now by one version.
      wantsOf({ order }).every(({ id, version }) => (versions.get(id) ?? version) === version)
    );
  },
  async write(database, locationId, members, alone) {
    // Lists are ordered by the moment, which they share, and then by the id: so ids are in the order of the
    // numbers.
    const ids = members.map(() => newId()).sort();
    const placed: Placed[] = [];
    const batch = batchOf(ids, members);
    const rows = await database.run(placeOrderBatch, [locationId, alone, batch]);
    for (const { place, outcome, response } of rows)
      placed[place - 1] = placedOf(outcome, ids[place - 1] ?? '', response ?? '');
    return placed;
  },
};

const wantsOf = ({ order: { products, choices } }: Pick<PlacedOrder, 'order'>): Wanted[] => [
  ...products,
  ...choices,
];

function placedOf(outcome: PlacedRow['outcome'], id: string, response: string): Placed {
  if (outcome === 'taken') return { outcome, by: response };
  if (outcome === 'short') return { outcome, left: JSON.parse(response) as Record<string, string> };
  if (outcome === 'created') return { outcome, id, response };
  return outcome === 'replayed' ? { outcome, response } : { outcome };
}

/** What place_order_batch takes: a column of the orders, products, choices and wants each, and the lines. */
function batchOf(ids: readonly string[], members: readonly PlacedOrder[]) {
  const [first] = members;
  const column = <Value>(of: (member: PlacedOrder) => Value) => members.map(of);
  const requested = <Value>(of: (request: OrderRequest) => Value) =>
    members.map(({ request }) => of(request));
  const products = inAll(members, ({ order }) => order.products);
  const choices = inAll(members, ({ order }) => order.choices);
  const wants = members.flatMap((member, index) =>
    wantsOf(member).map((want) => ({ of: index + 1, ...want })),
  );
  return {
    operation: first?.operation,
    ttl_hours: first?.ttlHours,
    places: members.map((_, index) => index + 1),
    api_keys: column(({ apiKeyId }) => apiKeyId),
    keys: column(({ key }) => key),
    request_hashes: column(({ requestHash }) => `\\x${requestHash.toString('hex')}`),
    request_ids: column(({ origin }) => origin),
    orders: ids,
    payments: column(() => newId()),
    external_ids: requested(({ external_id }) => external_id),
    channels: requested(({ channel }) => channel ?? null),
    take_away: requested(({ is_take_away }) => is_take_away),
    identifiers: requested(({ identifier }) => identifier),
    payment_methods: requested(({ payment_method_id }) => payment_method_id),
    totals: column(({ order }) => order.total),
    products: products.map(({ id }) => id),
    product_versions: products.map(({ version }) => version),
    product_quantities: products.map(quantityText),
    choices: choices.map(({ id }) => id),
    choice_versions: choices.map(({ version }) => version),
    choice_quantities: choices.map(quantityText),
    want_of: wants.map((want) => want.of),
    wants: wants.map(({ id }) => id),
    want_quantities: wants.map(quantityText),
    lines: members.flatMap(({ order }, index) =>
      order.lines.map((line, position) => ({
        place: index + 1,
        position: position + 1,
        product_id: line.product_id,
        name: line.name,
        unit_price: line.unit_price,
        quantity: line.quantity,
        total: line.total,
        comment: line.comment,
        selections: line.selections.length === 0 ? undefined : line.selections,
      })),
    ),
    carried: members.some(carriesMore) ? column(carriedBy) : undefined,
    while_paused: members.some(({ passesPause }) => passesPause)
      ? column(({ passesPause }) => passesPause)
      : undefined,
  };
}

/** Whether an order carries anything beside its lines. Most do not. */
const carriesMore = ({
  request: { note, promised_at, guests, customer, delivery },
  order: { adjustments },
}: PlacedOrder): boolean =>
  [note, promised_at, guests, customer, delivery, adjustments].some((each) => each !== undefined);

const carriedBy = (member: PlacedOrder) =>
  carriesMore(member) ? { ...carriedColumns(member.request), adjustments: member.order.adjustments } : null;

/** The columns of what is given; null where it is taken away, and undefined where it is left as it is. */
export function carriedColumns({
  note,
  promised_at,
  guests,
  customer,
  delivery,
}: Omit<OrderEdit, 'id' | 'items'>) {
  const { name, phone, email, tax_id } = memberOr(customer, ['name', 'phone', 'email', 'tax_id']);
  const { lines, city, postal_code, country, ...rest } = memberOr(delivery, [
    'lines',
    'city',
    'postal_code',
    'country',
    'note',
  ]);
  return {
    note,
    promised_at,
    guests,
    customer_name: name,
    customer_phone: phone,
    customer_email: email,
    customer_tax_id: tax_id,
    delivery_lines: Array.isArray(lines) ? (lines.length === 0 ? null : lines.join('\n')) : lines,
    delivery_city: city,
    delivery_postal_code: postal_code,
    delivery_country: country,
    delivery_note: rest.note,
  };
}

/** The members of a value that replaces the one before: each is null that it does not have, or all are undefined. */
function memberOr<Value extends object, Name extends keyof Value>(
  value: Value | null | undefined,
  names: readonly Name[],
): { [Key in Name]: Value[Key] | null | undefined } {
  const members = names.map((name) => [name, value === undefined ? undefined : (value?.[name] ?? null)]);
  return Object.fromEntries(members) as { [Key in Name]: Value[Key] | null | undefined };
}

/** Each of what the orders want, with the quantity in all. */
function inAll(
  members: readonly PlacedOrder[],
  of: (member: PlacedOrder) => readonly Wanted[],
): Pick<Wanted, 'id' | 'version' | 'quantity'>[] {
  const all = new Map<string, Pick<Wanted, 'id' | 'version' | 'quantity'>>();
  for (const { id, version, quantity } of members.flatMap(of))
    all.set(id, { id, version, quantity: quantity + (all.get(id)?.quantity ?? 0n) });
  return [...all.values()];
}

const quantityText = ({ quantity }: Pick<Wanted, 'quantity'>) => decimalText(quantity, 3);
