import type { Known } from './known.ts';
import type { EntryReads, Item, LiveRow } from './rows.ts';

/** How a list is asked for. @internal */
export interface ListQuery {
  filters: Readonly<Record<string, unknown>>;
  include: readonly string[];
  sort: string;
  order: 'asc' | 'desc';
  most: number;
  byArrival: boolean;
}

/** The effect of a change on an entry, while it is not answered. @internal */
export interface Overlay {
  id: string;
  patch: Item;
}

/** Whether an entry passes the filters, or those of some fields; `undefined` where only the service knows. @internal */
export function fits(
  row: LiveRow,
  filters: ListQuery['filters'],
  item: Item,
  fields?: readonly string[],
): boolean | undefined {
  const names = Object.keys(filters).filter((name) => fields?.includes(name) ?? true);
  const answers = names.map((name) => row.filters[name]?.(filters[name], item));
  return answers.includes(false) ? false : answers.includes(undefined) ? undefined : true;
}

/** The entry as the list shows it: without the fields that its `include` does not name. @internal */
export function asListed({ included }: EntryReads, include: readonly string[], item: Item): Item {
  const hidden = Object.entries(included).flatMap(([name, fields]) => (include.includes(name) ? [] : fields));
  return Object.fromEntries(Object.entries(item).filter(([field]) => !hidden.includes(field)));
}

/** Whether an event says nothing that an entry does not show. @internal */
export function shows(reads: EntryReads, include: readonly string[], item: Item, data: Item): boolean {
  return holds(reads.optional, item, asListed(reads, include, data));
}

/** Whether `item` has what `data` has; it may have more, except for what `data` would name. */
function holds(optional: readonly string[], item: unknown, data: unknown): boolean {
  if (!isObject(item) || !isObject(data)) return item === data;
  const named = optional.filter((field) => field in item);
  return (
    (!Array.isArray(data) || data.length === item.length) &&
    [...Object.keys(data), ...named].every((field) => holds(optional, item[field], data[field]))
  );
}

const isObject = (value: unknown): value is Item => typeof value === 'object' && value !== null;

/** The entries in their order, with what is not answered yet laid over them; `total` counts those beyond the bound as well. @internal */
export function viewOf(
  row: LiveRow,
  { filters, sort, order, most, byArrival }: ListQuery,
  known: Known,
  overlays: readonly Overlay[],
  elsewhere: (id: string) => Item | undefined,
): { data: Item[]; count: number } {
  const shown = new Map(known.all().map((entry) => [entry.id, entry]));
  for (const [index, { id, patch }] of overlays.entries()) {
    const own = shown.get(id);
    const before = own?.item ?? elsewhere(id);
    if (before === undefined) continue;
    const item = { ...before, ...patch };
    // Of an entry of this list, what the change leaves alone passes already.
    const passes = fits(row, filters, item, own && Object.keys(patch));
    if (passes === true || (passes === undefined && own))
      shown.set(id, { id, item, came: own?.came ?? Number.MAX_SAFE_INTEGER - overlays.length + index });
    else if (passes === false) shown.delete(id);
  }
  const way = order === 'asc' ? 1 : -1;
  const entries = [...shown.values()].sort((one, other) =>
    byArrival
      ? other.came - one.came
      : way * (compared(one.item[sort], other.item[sort]) || compared(one.id, other.id)),
  );
  return { data: entries.slice(0, most).map(({ item }) => item), count: entries.length };
}

// Texts here are ids, and moments, which are in the order of their characters where their offset from UTC is the same.
function compared(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (String(one).slice(-6) !== String(other).slice(-6)) {
    const apart = Date.parse(String(one)) - Date.parse(String(other));
    if (apart) return apart;
  }
  return String(one) < String(other) ? -1 : String(one) > String(other) ? 1 : 0;
}
