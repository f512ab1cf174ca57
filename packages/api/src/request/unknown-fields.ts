import { fieldPath, invalid } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { RequestContext } from './context.ts';

/** At most so many names are told, in so many bytes. */
const most = { names: 10, bytes: 1024 };

/** The paths of what was given and is not in what was read of it; of a list's items each name once, as `items[].name`. */
export function unknownFields(given: unknown, read: unknown): string[] {
  const found = new Set<string>();
  collect(given, read, [], found);
  return [...found];
}

/**
 * Refuses a call for what it has given and no operation of this kind knows, each with the nearest name that is known.
 * Throws `validation_error`.
 */
export function refuseUnknown(names: readonly string[], known: readonly string[]): never {
  throw invalid(
    ...names.map((name) => {
      const meant = nearest(name, known);
      return {
        path: name,
        message: meant === undefined ? 'is unknown' : `is unknown: did you mean ${meant}?`,
        reason: 'unknown_parameter' as const,
      };
    }),
  );
}

/** Names in the answer what was passed over: percent-encoded, ten at most, in `X-Ignored-Fields`. */
export function tellIgnored({ headers }: Pick<RequestContext, 'headers'>, names: readonly string[]): void {
  const before = headers['X-Ignored-Fields'];
  const told = before === undefined ? [] : before.split(', ');
  for (const name of names) {
    const encoded = encodeURIComponent(name);
    const fits = told.length < most.names && [...told, encoded].join(', ').length <= most.bytes;
    if (fits) told.push(encoded);
  }
  if (told.length > 0) headers['X-Ignored-Fields'] = told.join(', ');
}

function collect(given: unknown, read: unknown, path: readonly PropertyKey[], found: Set<string>): void {
  if (typeof given !== 'object' || given === null || typeof read !== 'object' || read === null) return;
  if (Array.isArray(given)) {
    if (Array.isArray(read))
      for (const [index, item] of given.entries()) collect(item, read[index], [...path, ''], found);
    return;
  }
  const kept = read as Record<string, unknown>;
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const at = [...path, name];
    if (Object.hasOwn(kept, name)) collect(value, kept[name], at, found);
    else found.add(fieldPath(at).replaceAll('..', '[].'));
  }
}
