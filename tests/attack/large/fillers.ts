/** Kinds of places that a filler can take; `whole` is the body itself. */
export type Site = 'array' | 'object' | 'text' | 'number' | 'whole';

/** The known properties of the place that a filler takes. */
export interface Around {
  /** Members that an object has there. */
  known: readonly string[];
  /** A valid item of the array at that place, where one is known. */
  item?: unknown;
  /** Makes an item of the array with all that its schema lets it hold. */
  full?(): unknown;
}

/** JSON text that fills a part of a body. */
export interface Filler {
  name: string;
  at: readonly Site[];
  /** `members` go into an object that is there; `value` replaces what is there. */
  as: 'value' | 'members';
  /** At most `bytes` of JSON text; undefined where there is nothing to make it of. */
  text(bytes: number, around: Around): Buffer | undefined;
}

/** Every filler. Those of a whole body are also bodies that cannot be read. */
export const fillers: readonly Filler[] = [
  ...['{}', '[]', '0', 'null', '""', 'true', '{"a":0}', '[[{}]]', '"\\ud800"', '"\\u0000"', '1e400'].map(
    (unit) =>
      value(`an array of ${unit}`, ['array', 'object', 'whole'], (bytes) =>
        repeated('[', `${unit},`, ']', bytes),
      ),
  ),
  value('an array of long fractions', ['array', 'number', 'whole'], (bytes) =>
    repeated('[', '0.1000000000000000055511151231257827,', ']', bytes),
  ),
  value('an array of its own item', ['array'], (bytes, { item }) =>
    item === undefined ? undefined : repeated('[', `${JSON.stringify(item)},`, ']', bytes),
  ),
  value('an array of its items, each with a name of its own', ['array'], (bytes, { item }) =>
    counted('[', ']', bytes, (at) => JSON.stringify({ ...(item as object), [`u${at}`]: 0 })),
  ),
  value('an array of its items, each another', ['array'], (bytes, { item }) =>
    item === undefined ? undefined : counted('[', ']', bytes, (at) => JSON.stringify(numbered(item, at))),
  ),
  value('an array of its items, each with all that it may hold', ['array'], (bytes, { full }) => {
    const item = full?.();
    return counted('[', ']', bytes, (at) => JSON.stringify(numbered(item, at)));
  }),
  value('500 large items', ['array'], (bytes, { item }) =>
    item === undefined ? undefined : largeItems(item, 500, bytes),
  ),
  value('items that are deep', ['array', 'whole'], (bytes) =>
    repeated('[', `${'['.repeat(500)}${']'.repeat(500)},`, ']', bytes),
  ),
  value('deep arrays', ['array', 'object', 'text', 'whole'], (bytes) => nested('[', ']', bytes)),
  value('deep objects', ['array', 'object', 'text', 'whole'], (bytes) => nested('{"a":', '}', bytes, '0')),
  value('arrays 60 deep', ['array', 'whole'], (bytes) =>
    repeated('['.repeat(60), '0,', ']'.repeat(60), bytes),
  ),
  value('blanks', ['array', 'whole'], (bytes) => repeated('[', ' ', ']', bytes)),
  ...['a', '\\u0000', '\\ud800', '\\"', '\\u00e9', '😀', ' ', '{', '\\n'].map((unit) =>
    value(`a text of ${unit === ' ' ? 'blanks' : unit}`, ['text', 'whole'], (bytes) =>
      repeated('"', unit, '"', bytes),
    ),
  ),
  value('a number of many digits', ['number', 'text', 'whole'], (bytes) => repeated('1', '7', '', bytes)),
  value('a number of 100,000 digits', ['number'], () => repeated('1', '7', '', 100_000)),
  value('a fraction of many digits', ['number', 'whole'], (bytes) => repeated('0.', '3', '', bytes)),
  value('a fraction of many zeros', ['number'], (bytes) => repeated('1.', '0', '', bytes)),
  value('a huge exponent', ['number'], () => Buffer.from('1e999999999')),
  value('a tiny exponent', ['number'], () => Buffer.from('1e-999999999')),
  value('an exponent of many digits', ['number', 'whole'], (bytes) => repeated('1e', '9', '', bytes)),
  value('an array of numbers of 1,000 digits', ['array', 'whole'], (bytes) =>
    repeated('[', `${'7'.repeat(1_000)},`, ']', bytes),
  ),
  members('unknown names', (bytes) => counted('', '', bytes, (at) => `"a${at}":0`)),
  members('numbers as names', (bytes) => counted('', '', bytes, (at) => `"${at}":0`)),
  members('unknown names of arrays', (bytes) => counted('', '', bytes, (at) => `"a${at}":[]`)),
  members('names that are nearly known', (bytes, { known }) =>
    counted(
      '',
      '',
      bytes,
      (at) => `"${known[at % Math.max(1, known.length)] ?? 'name'}${at.toString(36)}":0`,
    ),
  ),
  members('one unknown name again and again', (bytes) => repeated('', '"a":0,', '', bytes)),
  members('every known name again and again', (bytes, { known }) =>
    repeated('', known.map((name) => `${JSON.stringify(name)}:0,`).join('') || '"a":0,', '', bytes),
  ),
  members('__proto__ again and again', (bytes) => repeated('', '"__proto__":{},', '', bytes)),
  members('one name that fills it', (bytes) => repeated('"', 'a', '":0', bytes)),
  members('names of 10,000 characters', (bytes) =>
    counted('', '', bytes, (at) => `"${'n'.repeat(10_000)}${at}":0`),
  ),
  members('names of surrogates', (bytes) => counted('', '', bytes, (at) => `"\\ud800${at}":0`)),
  members('names with NUL', (bytes) => counted('', '', bytes, (at) => `"\\u0000${at}":0`)),
  members('names in escapes', (bytes) => repeated('"', '\\u0061', '":0', bytes)),
  ...[
    ['brackets that stay open', '['],
    ['objects that stay open', '{"a":'],
    ['a text that stays open', 'a'],
    ['commas', ','],
    ['quotes', '"'],
    ['backslashes', '\\'],
    ['bytes that are no UTF-8', '\xff'],
  ].map(([name = '', unit = '']) =>
    value(name, ['whole'], (bytes) =>
      name.startsWith('a text') ? repeated('{"a":"', unit, '', bytes) : Buffer.alloc(bytes, unit, 'latin1'),
    ),
  ),
];

function value(name: string, at: readonly Site[], text: Filler['text']): Filler {
  return { name, at, as: 'value', text };
}

function members(name: string, text: Filler['text']): Filler {
  return { name, at: ['object', 'whole'], as: 'members', text };
}

/** The unit as often as it fits between two ends; a comma that it ends with is not left at the end. */
function repeated(begin: string, unit: string, end: string, bytes: number): Buffer {
  const size = Buffer.byteLength(unit);
  const count = Math.floor((bytes - begin.length - end.length) / size);
  const comma = unit.endsWith(',') ? 1 : 0;
  const filled = Buffer.alloc(Math.max(0, count * size), unit).subarray(0, Math.max(0, count * size - comma));
  return Buffer.concat([Buffer.from(begin), filled, Buffer.from(end)]);
}

/** As many units as fit, each made with its number. */
function counted(begin: string, end: string, bytes: number, unit: (at: number) => string): Buffer {
  const parts: string[] = [];
  let left = bytes - begin.length - end.length;
  for (let at = 0; ; at += 1) {
    const part = unit(at);
    left -= Buffer.byteLength(part) + 1;
    if (left < 0) break;
    parts.push(part);
  }
  return Buffer.from(begin + parts.join(',') + end);
}

function nested(open: string, close: string, bytes: number, inner = ''): Buffer {
  const depth = Math.floor((bytes - inner.length) / (open.length + close.length));
  return Buffer.from(open.repeat(depth) + inner + close.repeat(depth));
}

/** The same item under names of its own. */
function numbered(item: unknown, at: number): unknown {
  if (typeof item !== 'object' || item === null) return typeof item === 'string' ? `${item}${at}` : item;
  const own = Object.entries(item).filter(([name]) => ['external_id', 'sku', 'name'].includes(name));
  return { ...item, ...Object.fromEntries(own.map(([name, text]) => [name, `${text}${at}`])) };
}

/** So many valid items, each as large as the bytes and the longest description let it be. */
function largeItems(item: unknown, count: number, bytes: number): Buffer {
  const least = JSON.stringify(numbered(item, count)).length + 24;
  const room = Math.max(0, Math.floor(bytes / count) - least);
  const description = 'd'.repeat(Math.min(room, 10_000));
  const all = Array.from({ length: count }, (_, at) => ({ ...(numbered(item, at) as object), description }));
  return Buffer.from(JSON.stringify(all));
}
