import { z } from 'zod';
import { exampleLocation, exampleTime } from '../../examples.ts';
import { list } from '../../lists.ts';
import { Name } from '../../texts.ts';
import { Id, isTimeZone, ShownName, Timestamp, TimestampFilter, text } from '../../wire.ts';
import { OpeningHours } from './hours.schema.ts';

/** The message about an unknown time zone. Which names are known, and how they are spelled, only the database knows. */
export const noTimeZone = 'must be an IANA time zone, such as America/Montevideo';

const TimeZone = z
  .string()
  .refine(isTimeZone, { error: noTimeZone })
  .meta({ description: 'IANA time zone, spelled as there.', example: 'America/Sao_Paulo' });

const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code, such as UYU')
  .meta({ description: 'ISO 4217 code.', example: 'BRL' });

const exampleShown = { ...exampleLocation, created_at: exampleTime('08:00:00.000'), paused: false };

/** The location that a key belongs to. */
export const Location = z
  .object({
    id: Id,
    name: ShownName.meta({ example: 'Cantina do Porto' }),
    timezone: z.string().meta({ description: 'IANA time zone.', example: 'America/Sao_Paulo' }),
    currency: z.string().meta({ description: 'ISO 4217 code.', example: 'BRL' }),
    created_at: Timestamp,
    sandbox: z.literal(true).exactOptional().meta({
      description: 'Whether it is a sandbox: its keys are test keys, and it can be reset.',
    }),
    paused: z.boolean().meta({
      description: 'Whether it takes no orders at the moment. Past `paused_until` it takes orders again.',
      example: true,
    }),
    paused_until: Timestamp.optional().meta({
      description: 'The end of the pause; absent where it has none.',
      example: exampleTime('21:30:00.000'),
    }),
    pause_reason: z.string().optional().meta({
      description: 'Why it is paused, as it was given.',
      example: 'The oven is being repaired.',
    }),
  })
  .meta({
    id: 'Location',
    description: 'A restaurant or shop.',
    example: exampleShown,
  });
export type Location = z.infer<typeof Location>;

/** The parameters of reading the location. */
export const LocationRead = z.object({
  include: list(z.enum(['hours']), 20)
    .min(1, 'must name hours')
    .optional()
    .meta({
      description:
        '`hours`: `opening_hours`, and `open_now`, whether it is open at this moment. The answer then has no `ETag`.',
      example: ['hours'],
    }),
});
export type LocationRead = z.infer<typeof LocationRead>;

/** The location, and what `include` asks for. */
export const LocationWithHours = Location.extend({
  opening_hours: OpeningHours.optional().meta({
    description: 'With `hours`: when it is open; absent until it was said.',
  }),
  open_now: z.boolean().optional().meta({
    description: 'With `hours`: whether it is open at this moment by its hours; a pause does not count.',
    example: true,
  }),
}).meta({
  id: 'LocationWithHours',
  description: 'A restaurant or shop, and what `include` asks for.',
  example: exampleShown,
});
export type LocationWithHours = z.infer<typeof LocationWithHours>;

/** A location as its maker sees it, with its code. */
export const CodedLocation = Location.extend({
  code: z.string().meta({
    description: 'Its short name, which its keys carry: `cmd_live_<code>_…`.',
    example: '7k2m9xqd',
  }),
}).meta({ id: 'CodedLocation', description: 'A restaurant or shop, and its code.' });
export type CodedLocation = z.infer<typeof CodedLocation>;

/** A location, and what it does: see `comanda locations disable`. */
export type LocationState = CodedLocation & { status: 'active' | 'read_only' | 'disabled' | 'deleting' };

/** The body that makes a location. */
export const LocationCreate = z.object({
  name: Name.meta({ example: 'Cantina do Porto' }),
  timezone: TimeZone.default('UTC'),
  currency: Currency.default('USD'),
  sandbox: z.boolean().optional().meta({
    description:
      'Makes a sandbox, for good. A location that a key of a sandbox makes is one, for any value given.',
    example: true,
  }),
});
export type LocationCreate = z.infer<typeof LocationCreate>;

/** The body that pauses the location. */
export const LocationPause = z
  .object({
    until: TimestampFilter.optional().meta({
      description: 'When it takes orders again by itself, in the future. Without it, when it is resumed.',
      example: '2031-06-30T21:30:00-03:00',
    }),
    reason: text(0, 500).optional().meta({ description: 'Why, for people. The answer and events show it.' }),
  })
  .meta({
    id: 'LocationPause',
    description: 'The end of a pause, and its reason.',
    example: { reason: 'The oven is being repaired.' },
  });
export type LocationPause = z.infer<typeof LocationPause>;

/** Which location, and the fields that change. */
export const LocationUpdate = z.object({
  id: Id,
  name: Name.optional(),
  timezone: TimeZone.optional(),
  currency: Currency.optional(),
  opening_hours: OpeningHours.nullable()
    .optional()
    .meta({ description: 'When it is open; null takes it away.' }),
});
export type LocationUpdate = z.infer<typeof LocationUpdate>;
