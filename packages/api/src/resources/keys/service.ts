import { type Database, isId, newId, type rows } from '@comanda/db';
import { newApiKey } from '../../credentials/api-key.ts';
import { invalid, notFound } from '../../errors.ts';
import { defaultLimits } from '../../limits/defaults.ts';
import { wireTime } from '../../wire.ts';
import type { Key, KeyCreate, KeyWithText } from './schema.ts';

/**
 * Makes a key for a location: the given one, or the oldest. Only its hash is stored; the text is in the answer
 * and nowhere else. Throws `validation_error` for an unknown location.
 */
export async function create(database: Database, input: KeyCreate): Promise<KeyWithText> {
  const location = await findLocation(database, input.location_id);
  const { key, hash, prefix } = newApiKey();
  const row = await database.prisma.apiKey.create({
    data: {
      id: newId(),
      locationId: location.id,
      name: input.name,
      prefix,
      keyHash: new Uint8Array(hash),
      permissions: [...new Set(input.permissions)],
      perMinute: input.per_minute ?? null,
      monthly: input.monthly ?? null,
      batchJobsPerHour: input.batch_jobs_per_hour ?? null,
      maxItemsPerBatch: input.max_items_per_batch ?? null,
      expiresAt: input.expires_at === undefined ? null : new Date(input.expires_at),
    },
  });
  return { ...toKey(row, location.timezone), key };
}

/** Lists the keys of a location, or of all, oldest first. */
export async function list(database: Database, locationId?: string): Promise<Key[]> {
  const found = await database.prisma.apiKey.findMany({
    where: locationId === undefined ? {} : { locationId },
    include: { location: { select: { timezone: true } } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return found.map((row) => toKey(row, row.location.timezone));
}

/** Revokes a key for good; every process refuses it within a second. Revoking twice changes nothing. Throws `resource_not_found`. */
export async function revoke(database: Database, id: string, locationId?: string): Promise<Key> {
  const where = { id, ...(locationId !== undefined && { locationId }) };
  if (!isId(id)) throw notFound('Key');
  await database.prisma.apiKey.updateMany({
    where: { ...where, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  const row = await database.prisma.apiKey.findFirst({
    where,
    include: { location: { select: { timezone: true } } },
  });
  if (row === null) throw notFound('Key');
  return toKey(row, row.location.timezone);
}

async function findLocation({ prisma }: Database, id: string | undefined): Promise<rows.Location> {
  if (id === undefined) {
    const oldest = await prisma.location.findFirst({ orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
    if (oldest === null)
      throw invalid({ path: 'location_id', message: 'there is no location yet; create one first' });
    return oldest;
  }
  const found = isId(id) ? await prisma.location.findUnique({ where: { id } }) : null;
  if (found === null) throw invalid({ path: 'location_id', message: `there is no location ${id}` });
  return found;
}

function toKey(row: rows.ApiKey, timezone: string): Key {
  const time = (moment: Date) => wireTime(moment, timezone);
  return {
    id: row.id,
    location_id: row.locationId,
    name: row.name,
    prefix: row.prefix,
    permissions: row.permissions,
    per_minute: row.perMinute ?? defaultLimits.perMinute,
    monthly: row.monthly ?? defaultLimits.monthly,
    batch_jobs_per_hour: row.batchJobsPerHour ?? defaultLimits.batchJobsPerHour,
    max_items_per_batch: row.maxItemsPerBatch ?? defaultLimits.maxItemsPerBatch,
    created_at: time(row.createdAt),
    ...(row.expiresAt && { expires_at: time(row.expiresAt) }),
    ...(row.revokedAt && { revoked_at: time(row.revokedAt) }),
    ...(row.lastUsedAt && { last_used_at: time(row.lastUsedAt) }),
  };
}
