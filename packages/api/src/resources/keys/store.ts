import { type Database, isId, type Queryable, type Transaction } from '@comanda/db';
import { type AuditActor, auditAs } from '../../call/audit.ts';
import { newApiKey } from '../../credentials/api-key.ts';
import { ApiError, conflict, invalid, notFound } from '../../errors.ts';
import type { WantedKey } from './rules.ts';
import type { Key, KeyCreate, KeyCreateAt, KeyRotated, KeyUpdate, KeyWithText } from './schema.ts';
import * as sql from './statements.ts';

/**
 * Makes a key for a location from the command line: the given one, or the oldest. Throws `validation_error` for an
 * unknown location.
 */
export async function issueKey(database: Database, input: KeyCreateAt): Promise<KeyWithText> {
  const { id: locationId, ...kind } = await findLocation(database, input.location_id);
  return database.transaction(undefined, (tx) =>
    insertKey(tx, { kind: 'command_line', locationId }, { name: input.name, ...kind }, wantedOf(input)),
  );
}

/** Lists the keys of a location, or of all, oldest first. */
export async function listKeys(database: Database, locationId?: string): Promise<Key[]> {
  if (locationId !== undefined && !isId(locationId)) return [];
  const found = await database.run(sql.listKeysAt, [locationId ?? null]);
  return found.map(keyIn);
}

/** Reads a key of any location. Throws `resource_not_found`. */
export async function readKey(database: Database, id: string): Promise<Key> {
  if (!isId(id)) throw noId(id);
  const [row] = await database.run(sql.readKey, [id]);
  if (row === undefined) throw notFound('Key');
  return keyIn(row);
}

/** Revokes a key of any location from the command line. Throws `resource_not_found`. */
export async function revokeKey(database: Database, id: string): Promise<Key> {
  const { location_id: locationId } = await readKey(database, id);
  return database.transaction(undefined, (tx) => revokeIn(tx, { kind: 'command_line', locationId }, id));
}

/**
 * Changes the given fields of a key of any location, from the command line; every process obeys it within a second.
 * Throws `resource_not_found`, `conflict` for a revoked one.
 */
export function updateKey(database: Database, id: string, changes: KeyUpdate): Promise<Key> {
  return database.transaction(undefined, async (tx) => {
    const before = await holdUsable(tx, id);
    const { name, permissions, expires_at, event_types, ...limits } = changes;
    const values = [id, name, permissions && [...new Set(permissions)], expires_at, expires_at === null];
    const [row] = await tx.run(sql.updateKey, [
      ...values,
      limits.per_minute,
      limits.monthly,
      limits.batch_jobs_per_hour,
      limits.max_items_per_batch,
      event_types === 'by_permission',
    ]);
    const after = keyIn(row);
    const actor: AuditActor = { kind: 'command_line', locationId: after.location_id };
    auditAs(tx, actor, 'keys.update', id, { before: { ...before }, after: { ...after } });
    return after;
  });
}

/**
 * Makes a key that may do what another may, from the command line; that one is refused when the grace has ended.
 * Throws `resource_not_found`, `conflict` for a revoked one.
 */
export function rotateKey(database: Database, id: string, graceHours: number): Promise<KeyRotated> {
  return database.transaction(undefined, async (tx) => {
    const before = await holdUsable(tx, id);
    const { key, hash, prefix } = newApiKey(await findLocation(tx, before.location_id));
    const [row] = await tx.run(sql.copyKey, [id, prefix, hash]);
    const made = keyIn(row);
    const [ended] = await tx.run(sql.endKey, [id, graceHours]);
    const old = keyIn(ended);
    const actor: AuditActor = { kind: 'command_line', locationId: made.location_id };
    auditAs(tx, actor, 'keys.rotate', made.id, {
      before: null,
      after: { name: made.name, permissions: made.permissions, in_place_of: id },
    });
    auditAs(tx, actor, 'keys.rotate', id, {
      before: { expires_at: before.expires_at ?? null },
      after: { expires_at: old.expires_at ?? null },
    });
    return { ...made, key, old: { id, expires_at: old.expires_at ?? '' } };
  });
}

const noId = (text: string): ApiError =>
  new ApiError('not_found', `Key not found: ${JSON.stringify(text)} is no id; comanda keys list shows them`);

/** A key that is not revoked, held to the end of the transaction. */
async function holdUsable(tx: Transaction, id: string): Promise<Key> {
  if (!isId(id)) throw noId(id);
  const [row] = await tx.run(sql.holdAnyKey, [id]);
  if (row === undefined) throw notFound('Key');
  const key = keyIn(row);
  if (key.revoked_at !== undefined)
    throw conflict('guarded', 'The key is revoked for good; make another one (comanda keys create).');
  return key;
}

/** The grants that an input asks for. */
export function wantedOf({ name: _, permissions, expires_at, ...limits }: KeyCreate): WantedKey {
  return {
    permissions: [...new Set(permissions)],
    limits: Object.fromEntries(
      Object.entries(limits).filter(([field, value]) => field in sql.defaultKeyLimits && value !== undefined),
    ),
    expiresAt: expires_at === undefined ? null : new Date(expires_at),
  };
}

/**
 * Stores a new key at the actor's location, which has this code and is a sandbox or not, and writes it down. Only the hash of its text is stored; the text is in
 * the answer and nowhere else. An actor without a key is who gets this one.
 */
export async function insertKey(
  tx: Transaction,
  actor: AuditActor | Omit<AuditActor & { kind: 'api_key' }, 'apiKeyId'>,
  { name, ...kind }: { name: string; code: string; sandbox: boolean },
  { permissions, limits, expiresAt }: WantedKey,
): Promise<KeyWithText> {
  const made = await storeKey(tx, actor.locationId, { name, ...kind }, { permissions, limits, expiresAt });
  const { id, key: _key, location_id: _location, prefix: _prefix, created_at: _created, ...after } = made;
  const maker = actor.kind === 'api_key' ? { apiKeyId: id, ...actor } : actor;
  auditAs(tx, maker, 'keys.create', id, { before: null, after });
  return made;
}

/** Stores a new key and records no audit entry: that is for its caller. */
export async function storeKey(
  tx: Transaction,
  locationId: string,
  { name, ...kind }: { name: string; code: string; sandbox: boolean },
  { permissions, limits, expiresAt }: WantedKey,
): Promise<KeyWithText> {
  const { key, hash, prefix } = newApiKey(kind);
  const values = [locationId, name, prefix, hash, permissions, expiresAt];
  const [row] = await tx.run(sql.insertKey, [
    ...values,
    limits.per_minute,
    limits.monthly,
    limits.batch_jobs_per_hour,
    limits.max_items_per_batch,
  ]);
  return { ...keyIn(row), key };
}

/**
 * Revokes a key of the actor's location for good; every process refuses it within a second. Revoking twice changes
 * nothing. Throws `resource_not_found`.
 */
export async function revokeIn(tx: Transaction, actor: AuditActor, id: string): Promise<Key> {
  if (!isId(id)) throw notFound('Key');
  const [row] = await tx.run(sql.revokeKey, [actor.locationId, id]);
  if (row === undefined) throw notFound('Key');
  const key = keyIn(row);
  if (row.revoked)
    auditAs(tx, actor, 'keys.revoke', id, {
      before: { revoked_at: null },
      after: { revoked_at: key.revoked_at },
    });
  return key;
}

/** A row as the key that it holds. Throws where a statement that must give one gave none. */
export function keyIn(row: sql.KeyText | undefined): Key {
  if (row === undefined) throw new Error('a key that was written has no row');
  return JSON.parse(row.doc) as Key;
}

/** The given location, or the oldest. Throws `validation_error` when there is none. */
export async function findLocation(database: Queryable, id: string | undefined): Promise<sql.KeyLocation> {
  const [found] = await (id === undefined
    ? database.run(sql.findOldestLocation, [])
    : isId(id)
      ? database.run(sql.findLocation, [id])
      : []);
  if (found !== undefined) return found;
  const message =
    id === undefined ? 'there is no location yet; create one first' : `there is no location ${id}`;
  throw invalid({ path: 'location_id', message });
}
