import { z } from 'zod';
import { Id, Label, Timestamp } from '../../wire.ts';

const zones = new Set(Intl.supportedValuesOf('timeZone')).add('UTC');

const TimeZone = z
  .string()
  .refine((zone) => zones.has(zone), { error: 'must be an IANA time zone, such as America/Montevideo' })
  .meta({ description: 'IANA time zone.', example: 'America/Sao_Paulo' });

const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code, such as UYU')
  .meta({ description: 'ISO 4217 code.', example: 'BRL' });

/** The location that a key belongs to. */
export const Location = z
  .object({
    id: Id,
    name: z.string().meta({ example: 'Cantina do Porto' }),
    timezone: z.string().meta({ description: 'IANA time zone.', example: 'America/Sao_Paulo' }),
    currency: z.string().meta({ description: 'ISO 4217 code.', example: 'BRL' }),
    created_at: Timestamp,
  })
  .meta({ id: 'Location', description: 'A restaurant or shop.' });
export type Location = z.infer<typeof Location>;

/** What makes a location. */
export const LocationCreate = z.object({
  name: Label,
  timezone: TimeZone.default('UTC'),
  currency: Currency.default('USD'),
});
export type LocationCreate = z.infer<typeof LocationCreate>;

/** Which location, and the fields that change. */
export const LocationUpdate = z.object({
  id: Id,
  name: Label.optional(),
  timezone: TimeZone.optional(),
  currency: Currency.optional(),
});
export type LocationUpdate = z.infer<typeof LocationUpdate>;
