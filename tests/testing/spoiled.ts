/** An input with one thing wrong with it, most likely. */
export interface Spoiled {
  what: string;
  input: Record<string, unknown>;
}

/** So many of an input, spread over all of its places. */
const most = 60;

/** The input, spoiled in one place at a time: of another type, out of its range, missing, or with a member too many. */
export function spoiled(input: Record<string, unknown>): Spoiled[] {
  const all = [...placesIn(input, [])].flatMap(({ path, value }) =>
    [...unlike(value), missing].map((wrong) => ({
      what: `${path.join('.')}: ${wrong === missing ? 'missing' : JSON.stringify(wrong)?.slice(0, 40)}`,
      input: replaced(input, path, wrong) as Record<string, unknown>,
    })),
  );
  const step = Math.max(1, all.length / most);
  const chosen = Array.from(
    { length: Math.min(most, all.length) },
    (_, index) => all[Math.floor(index * step)],
  );
  return [
    ...chosen.flatMap((each) => each ?? []),
    { what: 'a member too many', input: { ...input, color: 'red' } },
    { what: 'nothing', input: {} },
  ];
}

const missing = Symbol('missing');

function* placesIn(
  value: unknown,
  path: (string | number)[],
): Generator<{ path: (string | number)[]; value: unknown }> {
  if (path.length > 0) yield { path, value };
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value))
    yield* placesIn(member, [...path, Array.isArray(value) ? Number(name) : name]);
}

function unlike(value: unknown): unknown[] {
  if (typeof value === 'string') return [7, '', 'x'.repeat(5_000), 'a\0b', null];
  if (typeof value === 'number') return ['text', -1, 1e12, 0.000_01, null];
  if (typeof value === 'boolean') return ['yes', null];
  if (Array.isArray(value))
    return [{}, [], Array.from({ length: 501 }, () => value[0]), [...value, ...value]];
  return [[], 'text', {}];
}

function replaced(value: unknown, [name, ...rest]: readonly (string | number)[], wrong: unknown): unknown {
  if (name === undefined) return wrong;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  if (rest.length === 0 && wrong === missing) {
    if (Array.isArray(copy)) copy.splice(Number(name), 1);
    else delete copy[name];
  } else copy[name] = replaced(copy[name], rest, wrong);
  return copy;
}
