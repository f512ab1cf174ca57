import { type Database, isId, newId, type PrismaTransaction, type rows } from '@comanda/db';
import { newApiKey } from '../../credentials/api-key.ts';
import { defaultLimits } from '../../credentials/default-limits.ts';
import { invalid, notFound } from '../../errors.ts';
import { type Actor, auditAs } from '../../request/audit.ts';
import { wireTime } from '../../wire.ts';
import type { WantedKey } from './rules.ts';
import type { Key, KeyCreate, KeyCreateAt, KeyLimits, KeyWithText } from './schema.ts';

/** What a key may use when nothing else is set for it, by the names on the wire. */
export const defaultKeyLimits: KeyLimits = {
  per_minute: defaultLimits.perMinute,
  monthly: defaultLimits.monthly,
  batch_jobs_per_hour: defaultLimits.batchJobsPerHour,
  max_items_per_batch: defaultLimits.maxItemsPerBatch,
};

/**
 * Makes a key for a location from the command line: the given one, or the oldest. Throws `validation_error` for an
 * unknown location.
 */
export async function issueKey(database: Database, input: KeyCreateAt): Promise<KeyWithText> {
  const location = await findLocation(database, input.location_id);
  return database.prismaTransaction(undefined, (tx) =>
    insertKey(tx, { kind: 'command_line', locationId: location.id }, location, input.name, wantedOf(input)),
  );
}

/** Lists the keys of a location, or of all, oldest first. */
export async function listKeys(database: Database, locationId?: string): Promise<Key[]> {
  if (locationId !== undefined && !isId(locationId)) return [];
  const found = await database.prisma.apiKey.findMany({
    where: locationId === undefined ? {} : { locationId },
    include: { location: { select: { timezone: true } } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return found.map((row) => toKey(row, row.location.timezone));
}

/** Revokes a key of any location from the command line. Throws `resource_not_found`. */
export async function revokeKey(database: Database, id: string): Promise<Key> {
  const row = isId(id) ? await database.prisma.apiKey.findFirst({ where: { id } }) : null;
  if (row === null) throw notFound('Key');
  const { locationId } = row;
  return database.prismaTransaction(undefined, (tx) =>
    revokeIn(tx, { kind: 'command_line', locationId }, id),
  );
}

/** What an input asks for. */
export function wantedOf({ name: _, permissions, expires_at, ...limits }: KeyCreate): WantedKey {
  return {
    permissions: [...new Set(permissions)],
    limits: Object.fromEntries(
      Object.entries(limits).filter(([field, value]) => field in defaultKeyLimits && value !== undefined),
    ),
    expiresAt: expires_at === undefined ? null : new Date(expires_at),
  };
}

/**
 * Stores a new key at the actor's location and writes it down. Only the hash of its text is stored; the text is in
 * the answer and nowhere else.
 */
export async function insertKey(
  tx: PrismaTransaction,
  actor: Actor,
  { timezone }: { timezone: string },
  name: string,
  { permissions, limits, expiresAt }: WantedKey,
): Promise<KeyWithText> {
  const { key, hash, prefix } = newApiKey();
  const row = await tx.apiKey.create({
    data: {
      id: newId(),
      locationId: actor.locationId,
      name,
      prefix,
      keyHash: new Uint8Array(hash),
      permissions: [...permissions],
      perMinute: limits.per_minute ?? null,
      monthly: limits.monthly ?? null,
      batchJobsPerHour: limits.batch_jobs_per_hour ?? null,
      maxItemsPerBatch: limits.max_items_per_batch ?? null,
      expiresAt,
    },
  });
  const made = toKey(row, timezone);
  const { id, location_id: _location, prefix: _prefix, created_at: _created, ...after } = made;
  await auditAs(tx, actor, 'keys.create', id, { before: null, after });
  return { ...made, key };
}

/**
 * Revokes a key of the actor's location for good; every process refuses it within a second. Revoking twice changes
 * nothing. Throws `resource_not_found`.
 */
export async function revokeIn(tx: PrismaTransaction, actor: Actor, id: string): Promise<Key> {
  const { locationId } = actor;
  if (!isId(id)) throw notFound('Key');
  const { count } = await tx.apiKey.updateMany({
    where: { locationId, id, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  const row = await tx.apiKey.findUnique({
    where: { locationId_id: { locationId, id } },
    include: { location: { select: { timezone: true } } },
  });
  if (row === null) throw notFound('Key');
  const key = toKey(row, row.location.timezone);
  if (count > 0)
    await auditAs(tx, actor, 'keys.revoke', id, {
      before: { revoked_at: null },
      after: { revoked_at: key.revoked_at },
    });
  return key;
}

/** A key as it is shown: its limits as they apply, never its hash. */
export function toKey(row: rows.ApiKey, timezone: string): Key {
  const time = (moment: Date) => wireTime(moment, timezone);
  return {
    id: row.id,
    location_id: row.locationId,
    name: row.name,
    prefix: row.prefix,
    permissions: row.permissions,
    ...limitsOf(row),
    created_at: time(row.createdAt),
    ...(row.expiresAt && { expires_at: time(row.expiresAt) }),
    ...(row.revokedAt && { revoked_at: time(row.revokedAt) }),
    ...(row.lastUsedAt && { last_used_at: time(row.lastUsedAt) }),
  };
}

/** The limits of a stored key as they apply. */
export function limitsOf(
  row: Pick<rows.ApiKey, 'perMinute' | 'monthly' | 'batchJobsPerHour' | 'maxItemsPerBatch'>,
): KeyLimits {
  return {
    per_minute: row.perMinute ?? defaultKeyLimits.per_minute,
    monthly: row.monthly ?? defaultKeyLimits.monthly,
    batch_jobs_per_hour: row.batchJobsPerHour ?? defaultKeyLimits.batch_jobs_per_hour,
    max_items_per_batch: row.maxItemsPerBatch ?? defaultKeyLimits.max_items_per_batch,
  };
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
