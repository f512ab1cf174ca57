import { type Database, newId, type rows } from '@comanda/db';
import { z } from 'zod';
import { Label, wireTime } from '../../wire.ts';

const zones = new Set(Intl.supportedValuesOf('timeZone')).add('UTC');

/** What makes a location. */
export const LocationCreate = z.object({
  name: Label,
  timezone: z
    .string()
    .refine((zone) => zones.has(zone), { error: 'must be an IANA time zone, such as America/Montevideo' })
    .default('UTC'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code, such as UYU')
    .default('USD'),
});
export type LocationCreate = z.infer<typeof LocationCreate>;

/** A location as the command line and the internal procedures show it. */
export interface LocationSummary {
  id: string;
  name: string;
  timezone: string;
  currency: string;
  created_at: string;
}

/** Makes a location with one enabled payment method, "Cash". */
export async function createLocation(database: Database, input: LocationCreate): Promise<LocationSummary> {
  const row = await database.prisma.location.create({
    data: { id: newId(), ...input, paymentMethods: { create: { id: newId(), name: 'Cash', type: 'cash' } } },
  });
  return toLocation(row);
}

/** Lists every location, oldest first. */
export async function listLocations(database: Database): Promise<LocationSummary[]> {
  const found = await database.prisma.location.findMany({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
  return found.map(toLocation);
}

function toLocation(row: rows.Location): LocationSummary {
  const { id, name, timezone, currency } = row;
  return { id, name, timezone, currency, created_at: wireTime(row.createdAt, timezone) };
}
