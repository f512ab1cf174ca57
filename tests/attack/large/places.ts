import { z } from 'zod';
import type { Operation } from '../../../packages/api/src/call/operations.ts';
import { resolve, type Schema } from '../../fuzz/documents.ts';
import type { Filler, Site } from './fillers.ts';
import { fullOf } from './full.ts';

/** A place in the input of an operation that a filler may take. */
export interface FillPlace {
  /** Names of members; a number is the first item of an array. */
  path: readonly (string | 0)[];
  site: Site;
  /** Names that its schema knows there. */
  known: readonly string[];
  /** Makes an item of the array at that place, with all that its schema lets it hold. */
  full?(): unknown;
}

/** Every place in the input of an operation, found in its schema; the first is the whole of it. */
export function placesIn({ input }: Operation, without: ReadonlySet<string>): FillPlace[] {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Schema;
  const [root, ...inner] = walk(schema, schema, []);
  return [
    { path: [], site: 'whole', known: root?.known ?? [] },
    ...inner.filter(({ path: [first] }) => !without.has(String(first))),
  ];
}

function walk(document: Schema, part: unknown, path: FillPlace['path']): FillPlace[] {
  if (path.length > 7) return [];
  const schema = resolve(document, part);
  const options = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray);
  if (options !== undefined)
    return options.flatMap((option, at) => walk(document, option, path).slice(at === 0 ? 0 : 1));
  const properties = Object.entries((schema.properties ?? {}) as Record<string, unknown>);
  const own: FillPlace = {
    path,
    site: siteOf(schema),
    known: properties.map(([name]) => name),
    ...(schema.items !== undefined && { full: () => fullOf(document, schema.items) }),
  };
  return [
    own,
    ...properties.flatMap(([name, member]) => walk(document, member, [...path, name])),
    ...(schema.items === undefined ? [] : walk(document, schema.items, [...path, 0])),
  ];
}

function siteOf({ type, properties }: Schema): Site {
  const [first] = [type].flat();
  if (first === 'array') return 'array';
  if (first === 'object' || properties !== undefined) return 'object';
  return first === 'number' || first === 'integer' ? 'number' : 'text';
}

const mark = '@@filler@@';

/**
 * The JSON text of a valid input, of so many bytes, with a place of it filled; undefined where the filler has nothing to make
 * its text of.
 */
export function filled(
  example: unknown,
  place: FillPlace,
  filler: Filler,
  bytes: number,
): Buffer | undefined {
  const { path, known } = place;
  const isMembers = filler.as === 'members';
  const here = at(example, path);
  const put = isMembers ? { ...(isObject(here) ? here : {}), [mark]: 0 } : mark;
  const [before = '', after = ''] = JSON.stringify(replaced(example, path, put)).split(
    isMembers ? `"${mark}":0` : `"${mark}"`,
  );
  const room = bytes - Buffer.byteLength(before) - Buffer.byteLength(after);
  const text = filler.text(room, {
    known,
    item: Array.isArray(here) ? here[0] : undefined,
    ...(place.full !== undefined && { full: place.full }),
  });
  return text && Buffer.concat([Buffer.from(before), text, Buffer.from(after)]);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function at(value: unknown, path: FillPlace['path']): unknown {
  return path.reduce<unknown>(
    (here, name) => (here as Record<string | 0, unknown> | undefined | null)?.[name],
    value,
  );
}

/** A copy in which the path leads to the value, through objects and arrays that are made where there are none. */
function replaced(here: unknown, [name, ...rest]: FillPlace['path'], value: unknown): unknown {
  if (name === undefined) return value;
  if (name === 0) {
    const items = Array.isArray(here) ? here : [];
    return [replaced(items[0], rest, value), ...items.slice(1)];
  }
  const members = isObject(here) ? here : {};
  return { ...members, [name]: replaced(members[name], rest, value) };
}
