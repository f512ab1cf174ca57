import type { IncomingMessage } from 'node:http';
import { fieldPath, invalid } from '../errors.ts';
import { mostFaults } from '../lists.ts';
import { nearest } from '../nearest.ts';
import type { RequestContext } from './context.ts';

/** Bytes of the names in `X-Ignored-Fields`. */
const mostBytes = 1024;

/**
 * Whether a request asks for the refusal of unknown fields. RFC 7240: preferences are separated by commas, in any
 * case.
 */
export function prefersStrict({ headers: { prefer } }: Pick<IncomingMessage, 'headers'>): boolean {
  return prefer !== undefined && /(^|,)\s*handling\s*=\s*"?strict"?\s*(,|;|$)/i.test([prefer].flat().join());
}

/**
 * The paths of what was given and is not in what was read of it; of a list's items each name once, as `items[].name`.
 * Ends one behind those that are named, so that it is known whether there are more.
 */
export function unknownFields(given: unknown, read: unknown): string[] {
  const found = new Set<string>();
  collect(given, read, [], found);
  return [...found];
}

/** Fields of orders, by what others call them. */
const called: Readonly<Record<string, string>> = {
  tip: 'adjustments',
  tips: 'adjustments',
  discount: 'adjustments',
  discounts: 'adjustments',
  service_charge: 'adjustments',
  service_charges: 'adjustments',
  delivery_fee: 'adjustments',
  fees: 'adjustments',
  address: 'delivery',
  delivery_address: 'delivery',
  shipping_address: 'delivery',
  guest: 'customer',
  client: 'customer',
  customer_name: 'customer',
  comment: 'note',
  remarks: 'note',
  pickup_at: 'promised_at',
  due_at: 'promised_at',
  covers: 'guests',
  guest_count: 'guests',
};

/**
 * Refuses a call for what it has given and no operation of this kind knows, each with the nearest name that is known.
 * Throws `validation_error`.
 */
export function refuseUnknown(names: readonly string[], known: readonly string[]): never {
  throw invalid(
    names.slice(0, mostFaults).map((name) => {
      const { [name]: other = '' } = called;
      const meant = known.includes(other) ? other : nearest(name, known);
      return {
        path: name,
        message: meant === undefined ? 'is unknown' : `is unknown: did you mean ${meant}?`,
        reason: 'unknown_parameter' as const,
      };
    }),
    names.length <= mostFaults,
  );
}

/** Names in the answer the ignored ones: percent-encoded, ten at most, in `X-Ignored-Fields`. */
export function tellIgnored({ headers }: Pick<RequestContext, 'headers'>, names: readonly string[]): void {
  const ignored = namesInHeader(names, headers['X-Ignored-Fields']);
  if (ignored !== '') headers['X-Ignored-Fields'] = ignored;
}

/** Names as a header holds them, behind those of `before`: percent-encoded, ten at most, in 1 KiB. Empty when there are none. */
export function namesInHeader(names: readonly string[], before = ''): string {
  const listed = before === '' ? [] : before.split(', ');
  for (const name of names) {
    if (listed.length >= mostFaults) break;
    // An unpaired surrogate has no encoding.
    const encoded = encodeURIComponent(name.replaceAll(/\p{Cs}/gu, '\ufffd'));
    if ([...listed, encoded].join(', ').length <= mostBytes) listed.push(encoded);
  }
  return listed.join(', ');
}

function collect(given: unknown, read: unknown, path: readonly PropertyKey[], found: Set<string>): void {
  if (typeof given !== 'object' || given === null || typeof read !== 'object' || read === null) return;
  if (Array.isArray(given)) {
    if (!Array.isArray(read)) return;
    const at = [...path, ''];
    for (const [index, item] of given.entries()) {
      if (found.size > mostFaults) return;
      collect(item, read[index], at, found);
    }
    return;
  }
  const kept = read as Record<string, unknown>;
  for (const [name, value] of Object.entries(given)) {
    if (found.size > mostFaults) return;
    if (value === undefined) continue;
    const at = [...path, name];
    if (Object.hasOwn(kept, name)) collect(value, kept[name], at, found);
    else found.add(fieldPath(at).replaceAll('..', '[].'));
  }
}
