import { z } from 'zod';
import { exampleLocation, exampleTime } from '../../examples.ts';
import { Name } from '../../texts.ts';
import { Id, isTimeZone, ShownName, Timestamp } from '../../wire.ts';

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
  })
  .meta({
    id: 'Location',
    description: 'A restaurant or shop.',
    example: { ...exampleLocation, created_at: exampleTime('08:00:00.000') },
  });
export type Location = z.infer<typeof Location>;

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

/** Which location, and the fields that change. */
export const LocationUpdate = z.object({
  id: Id,
  name: Name.optional(),
  timezone: TimeZone.optional(),
  currency: Currency.optional(),
});
export type LocationUpdate = z.infer<typeof LocationUpdate>;
