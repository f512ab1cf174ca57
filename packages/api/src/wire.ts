import { z } from 'zod';
import { exampleIds } from './examples.ts';
import { type ErrorCode as Code, errorCodes, type ReadReason, readReasons } from './reasons.ts';
import { decimalsKey, onlyIf } from './schema-words.ts';

/** Text counted in code points, as the contract counts it; control characters are allowed here. */
export function text(shortest: number, longest: number) {
  return z
    .string()
    .refine((value) => value.length >= shortest && hasAtMost(value, longest), {
      error:
        shortest === 0
          ? `must have at most ${longest} characters`
          : `must have ${shortest} to ${longest} characters`,
    })
    .meta({ minLength: shortest, maxLength: longest });
}

/** An id of this service: opaque to callers; one that does not exist is a 404, in any form. */
export const Id = z
  .string()
  .meta({ description: 'Opaque id.', example: '01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d' });

/** The caller's own identifier, as answers have it. */
export const ShownExternalId = z.string().meta({ description: "The caller's own identifier." });

/** A name, as answers have it. */
export const ShownName = z.string().meta({ description: 'The name that people read.' });

/** Whether guests see something. */
export const Visible = z.boolean().meta({ description: 'Whether it is shown to guests.' });

/** The id of a product, as answers have it. */
export const ProductId = z.string().meta({ description: 'The id of the product.' });

/** An exact text that a list is narrowed by. An empty one is a mistake: it is no filter, and nothing has it. */
export const Exactly = z.string().min(1, 'must not be empty');

/** An id that a list is narrowed by. */
export const ReferenceId = Exactly.meta(Id.meta() ?? {});

/** The characters of the Unicode category Cc, in a class of a pattern. Every dialect of patterns reads them so. */
export const controlCharacters = '\\u0000-\\u001F\\u007F-\\u009F';

/** The caller's own identifier of a resource. */
export const ExternalId = text(1, 255)
  .regex(new RegExp(`^[^${controlCharacters}]*$`), 'must not contain control characters')
  .meta({
    description: "The caller's own identifier, unique per location and resource.",
    example: 'DR-01',
  });

/** A name, sku, channel: 1 to 255 characters. */
export const Label = text(1, 255);

/** The largest amount and the largest quantity. */
export const largestDecimal = 9_999_999_999.99;

/** An amount in the location's currency: at most 2 decimals. */
export const Money = decimal(2).meta({
  description: "Amount in the location's currency, at most 2 decimals.",
  example: 12.5,
});

/** A quantity: at most 3 decimals. */
export const Quantity = decimal(3).meta({ description: 'Quantity, at most 3 decimals.', example: 2 });

/** A quantity, as answers have it. */
export const ShownQuantity = z.number().meta({ description: 'How many or how much, 3 decimals.' });

/** A rate of tax: at most 4 decimals. */
export const TaxRate = z
  .number()
  .min(0, 'must not be negative')
  .max(100, 'must be at most 100')
  .refine((value) => decimals(value) <= 4, { error: 'must have at most 4 decimals' })
  .meta({
    description: 'Percent, included in the price; at most 4 decimals.',
    example: 22,
    [decimalsKey]: 4,
  });

/** The amount added to a quantity, or taken from it below zero: at most 3 decimals. */
export const QuantityChange = z
  .number()
  .min(-largestDecimal, `must be at least ${-largestDecimal}`)
  .max(largestDecimal, `must be at most ${largestDecimal}`)
  .refine((value) => value !== 0, { error: 'must not be 0' })
  .refine((value) => decimals(value) <= 3, { error: 'must have at most 3 decimals' })
  .meta({
    description: 'Added to a quantity, or taken from it below zero; at most 3 decimals, and not 0.',
    example: -4,
    ...onlyIf({ not: { const: 0 } }),
    [decimalsKey]: 3,
  });

/** A moment, as answers carry it. */
export const Timestamp = z.string().meta({
  format: 'date-time',
  description: "ISO 8601 with milliseconds and the offset of the location's time zone.",
  example: '2026-01-31T21:05:09.120-03:00',
});

const noMoment = 'must be an ISO 8601 timestamp with an offset or Z';
const { datetime } = z.core.regexes;
const moment = new RegExp(
  `${datetime({ offset: true }).source}|${datetime({ offset: true, precision: -1 }).source}`,
);

/** A moment, as callers may write it. */
export const TimestampFilter = z
  .string()
  .regex(moment, { error: noMoment, abort: true })
  .refine((value) => value >= '0001', { error: noMoment })
  .meta({
    format: 'date-time',
    description: 'ISO 8601 with offset or Z; seconds may be left out.',
    example: '2026-01-31T00:00:00Z',
  });

/** A whole day in the location's time zone. */
export const DateFilter = z.iso
  .date()
  .refine((day) => day >= '0001', { error: 'must be a date, YYYY-MM-DD' })
  .meta({ description: "A whole day in the location's time zone.", example: '2026-01-31' });

const noHttpUrl = 'must be an http or https URL';

/** A whole day, as answers repeat it. */
export const Day = z.string().meta({ format: 'date', example: '2026-01-31' });

/** Where an image is found; empty when there is none. */
export const ImageUrl = z
  .string()
  .refine((value) => hasAtMost(value, 2048), { error: 'must have at most 2048 characters', abort: true })
  .regex(/^$|^\s*[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s/?#\\]/, { error: noHttpUrl, abort: true })
  .refine((value) => value === '' || URL.canParse(value), { error: noHttpUrl })
  .meta({
    maxLength: 2048,
    description: 'Address of an image, `http` or `https`; empty when there is none.',
    example: 'https://images.example.com/flat-white.jpg',
  });

/** The same, as answers have it. */
export const ShownImageUrl = z
  .string()
  .meta({ description: 'Address of an image; empty where there is none.' });

/** `limit` and `offset` of every list. */
export const paging = {
  limit: z
    .int()
    .min(1, 'must be 1 to 200')
    .max(200, 'must be 1 to 200')
    .default(50)
    .meta({ description: 'Entries on a page; it has fewer where they are large.' }),
  offset: z
    .int()
    .min(0, 'must be 0 to 2147483647')
    .max(2_147_483_647, 'must be 0 to 2147483647')
    .default(0)
    .meta({ description: 'Entries to skip.' }),
};

/** The position of the page of the examples. */
export const examplePage = { limit: 50, offset: 0, total: 1 };

/** The specification's pagination object; `total` is exact. */
export const Pagination = z
  .object({
    limit: z.int().meta({
      description: 'As asked for; where large entries ended the page before, how many it has.',
    }),
    offset: z.int().meta({ description: 'The number of entries skipped.' }),
    total: z.int().meta({ description: 'How many entries the whole list has.' }),
  })
  .meta({
    id: 'Pagination',
    description: 'The position of the page in the whole list.',
    example: examplePage,
  });

/** A list answer: `data` and `pagination`, the same in both entrances. */
export function page<Item extends z.ZodType>(item: Item) {
  return z.object({ data: entries(item), pagination: Pagination });
}

/** The entries of a page. */
export function entries<Item extends z.ZodType>(item: Item) {
  return z.array(item).meta({ description: 'The entries of the page.' });
}

/** A page of `T`, as services return it. */
export interface Page<T> {
  data: T[];
  pagination: z.infer<typeof Pagination>;
}

/** `from` and `to` of a list; both days are included. */
export const dateRange = { from: DateFilter.optional(), to: DateFilter.optional() };

/** Refuses `from` after `to`; for `z.object({...}).check(rangeOrder)`. */
export const rangeOrder = z.superRefine<{ from?: string | undefined; to?: string | undefined }>(
  (range, context) => {
    if (range.from !== undefined && range.to !== undefined && range.from > range.to) {
      context.addIssue({ code: 'custom', path: ['from'], message: 'must not be after to' });
    }
  },
);

/** An error code of the specification. */
export const ErrorCode = z
  .enum(Object.keys(errorCodes) as [Code, ...Code[]])
  .meta({ id: 'ErrorCode', description: 'The error codes of the service.' });

/** Why a request was refused or failed. */
export const ErrorReason = z.enum(Object.keys(readReasons) as [ReadReason, ...ReadReason[]]).meta({
  id: 'ErrorReason',
  description: 'Why, to switch on; more may join. `/docs/errors` explains each.',
});

/** The answer of a deletion. */
export const Deleted = z
  .object({ id: Id, deleted: z.literal(true).meta({ description: 'Always `true`.' }) })
  .meta({
    id: 'Deleted',
    description: 'The resource is gone.',
    example: { id: exampleIds.order, deleted: true },
  });
export type Deleted = z.infer<typeof Deleted>;

/** The input of an operation on one resource, with the id of its example. */
export const byId = (example: string) => z.object({ id: Id.meta({ example }) });

/** The same with any id. */
export const ById = z.object({ id: Id });

/** The input of a lookup by the caller's own identifier. */
export const ByExternalId = z.object({ external_id: ShownExternalId.meta({ example: 'DR-01' }) });

/** The key that makes a repeated request answer as the first; REST carries it in the `Idempotency-Key` header. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters')
  .meta({
    description: 'Unique per logical request; repeating it returns the original.',
    example: 'erp-7f3a',
  });

/** Whether the text has at most so many characters (code points). Takes no longer for a longer text. */
function hasAtMost(value: string, longest: number): boolean {
  return value.length <= longest || (value.length <= 2 * longest && codePoints(value) <= longest);
}

/** How many characters (code points) the text has. */
export function codePoints(value: string): number {
  let count = 0;
  for (const _ of value) count++;
  return count;
}

/** Whether this Node knows the zone's time; in any case of letters, offsets such as `+03:00` included. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Formats moments as answers show them: ISO 8601, milliseconds, offset of the zone. */
export function wireTime(moment: Date, timezone: string): string {
  const offset = offsetMinutes(moment, timezone);
  const local = new Date(moment.getTime() + offset * 60_000).toISOString().slice(0, -1);
  const absolute = Math.abs(offset);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(absolute / 60))}:${two(absolute % 60)}`;
}

function decimal(places: number) {
  return z
    .number()
    .min(0, 'must not be negative')
    .max(largestDecimal, `must be at most ${largestDecimal}`)
    .refine((value) => decimals(value) <= places, { error: `must have at most ${places} decimals` })
    .meta({ [decimalsKey]: places });
}

function decimals(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  return Math.max(0, (mantissa.split('.')[1]?.length ?? 0) - Number(exponent));
}

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, number>();

// Zones change their offset on quarter hours at the finest, so one answer serves fifteen minutes.
function offsetMinutes(moment: Date, timezone: string): number {
  const quarter = Math.floor(moment.getTime() / 900_000);
  const key = `${timezone}|${quarter}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  let format = formats.get(timezone);
  if (format === undefined) {
    // One that another Node has stored and this does not know: the moment stays right, with the offset of UTC.
    const timeZone = isTimeZone(timezone) ? timezone : 'UTC';
    format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    formats.set(timezone, format);
  }
  const name = format.formatToParts(moment).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
  const [, sign, hours, minutes] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  const offset = sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  if (offsets.size > 10_000) offsets.clear();
  offsets.set(key, offset);
  return offset;
}
