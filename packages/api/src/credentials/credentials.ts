import { timingSafeEqual } from 'node:crypto';
import type { Notifications, Queryable } from '@comanda/db';
import { type ApiError, locationRefused, unauthorized } from '../errors.ts';
import { type ParsedKey, parseApiKey } from './api-key.ts';
import { defaultLimits } from './default-limits.ts';
import { createKeyReader, type KeyRow, type LocationStatus } from './key-reader.ts';
import { createLastUsed, noteEveryMs } from './last-used.ts';

/** The caller: a key, its permissions, and the location it belongs to. */
export interface Caller {
  apiKeyId: string;
  keyName: string;
  locationId: string;
  location: {
    id: string;
    code: string;
    name: string;
    timezone: string;
    currency: string;
    createdAt: Date;
    sandbox: boolean;
    status: LocationStatus;
  };
  /** The key's grants: permissions, `resource:*`, `*`. */
  granted: ReadonlySet<string>;
  /** Made before event types had permissions: it sees every type of event. */
  allEventTypes: boolean;
  /** The key's own limits, or the defaults. */
  limits: { perMinute: number; monthly: number; batchJobsPerHour: number; maxItemsPerBatch: number };
}

/** Knows keys. Specification: Authentication; contract, section 3. */
export interface Credentials {
  /**
   * The caller behind an `Authorization` header, at once when the key is known. Throws `unauthorized`, in the same
   * words for every fault of the key; `location_disabled` for a good key of such a location; `moved` for any of one
   * that went to another cell.
   */
  authenticate(authorization: string | undefined): Caller | Promise<Caller>;
  close(): Promise<void>;
}

// Within one second of being revoked a key must be refused, even if no notification arrived.
const unheardMs = 800;
const refusedMs = 1_000;
const most = 10_000;
const nothingAt: ReadonlySet<LocationStatus> = new Set(['disabled', 'deleting']);

/**
 * Keeps the keys in use in memory. Changes arrive as notifications; while those are not healthy, a key is read
 * again when it was read more than 0.8 s ago. `maxAgeMs` (60 s) bounds changes that were never announced.
 */
export function createCredentials(
  database: Queryable,
  notifications: Notifications,
  { maxAgeMs = 60_000 }: { maxAgeMs?: number } = {},
): Credentials {
  const known = new Map<string, Known>();
  const refused = new Map<string, Refused>();
  const read = createKeyReader(database);
  const lastUsed = createLastUsed(database);
  let changes = 0;
  notifications.on('comanda_api_keys', () => {
    changes += 1;
    known.clear();
    refused.clear();
  });

  function accept(entry: Known, hash: Buffer, now: number): Caller {
    if (!timingSafeEqual(entry.hash, hash)) throw unauthorized('key_not_valid');
    if (entry.moved) throw refusalOf(entry);
    if (now - entry.notedAt >= noteEveryMs) {
      entry.notedAt = now;
      lastUsed.note(entry.caller.apiKeyId);
    }
    if (nothingAt.has(entry.caller.location.status)) throw locationRefused(entry.caller.location.status);
    return entry.caller;
  }

  async function find(key: ParsedKey, name: string): Promise<Caller> {
    const seen = changes;
    const askedAt = performance.now();
    const { row, moved } = await read(key);
    // A key that changed while it was being read is not kept.
    const keep = seen === changes;
    if (row === undefined) {
      known.delete(name);
      const refusal = { at: askedAt, moved };
      if (keep) remember(refused, name, refusal);
      throw refusalOf(refusal);
    }
    const entry = { ...toKnown(row, askedAt), moved };
    if (keep) remember(known, name, entry);
    return accept(entry, key.hash, performance.now());
  }

  return {
    authenticate(authorization) {
      const text = bearerPattern.exec(authorization ?? '')?.[1];
      const key = text === undefined ? undefined : parseApiKey(text);
      if (key === undefined)
        throw unauthorized(authorization === undefined ? 'key_missing' : 'key_not_valid');
      const { hash } = key;
      const name = hash.toString('latin1');
      const now = performance.now();
      const entry = known.get(name);
      const maxAge = notifications.healthy() ? maxAgeMs : unheardMs;
      // An expired key takes the path of an unknown one, so that the response time does not distinguish them.
      if (entry !== undefined && now < entry.expiresAt && now - entry.readAt < maxAge)
        return accept(entry, hash, now);
      const refusal = refused.get(name);
      if (refusal !== undefined && now - refusal.at < refusedMs) throw refusalOf(refusal);
      return find(key, name);
    },
    close: lastUsed.close,
  };
}

/** Asked for at, by the monotonic clock; its location may have gone to another cell. */
interface Refused {
  at: number;
  moved: boolean;
}

interface Known {
  caller: Caller;
  hash: Buffer;
  moved: boolean;
  /** All by the monotonic clock, in milliseconds. */
  readAt: number;
  expiresAt: number;
  notedAt: number;
}

const bearerPattern = /^Bearer +([^ ]+) *$/i;

function remember<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name);
  map.set(name, value);
  const oldest = map.keys().next();
  if (map.size > most && !oldest.done) map.delete(oldest.value);
}

const refusalOf = ({ moved }: { moved: boolean }): ApiError =>
  moved ? locationRefused('moved') : unauthorized('key_not_valid');

function toKnown(row: KeyRow, askedAt: number): Omit<Known, 'moved'> {
  return {
    hash: row.key_hash,
    readAt: askedAt,
    expiresAt: row.expires_in === null ? Number.POSITIVE_INFINITY : performance.now() + row.expires_in,
    notedAt: row.used_ago === null ? Number.NEGATIVE_INFINITY : askedAt - row.used_ago,
    caller: {
      apiKeyId: row.id,
      keyName: row.name,
      locationId: row.location_id,
      location: {
        id: row.location_id,
        code: row.code,
        name: row.location_name,
        timezone: row.timezone,
        currency: row.currency,
        createdAt: row.location_created_at,
        sandbox: row.sandbox,
        status: row.status,
      },
      granted: new Set(row.permissions),
      allEventTypes: row.all_event_types,
      limits: {
        perMinute: row.per_minute ?? defaultLimits.perMinute,
        monthly: row.monthly ?? defaultLimits.monthly,
        batchJobsPerHour: row.batch_jobs_per_hour ?? defaultLimits.batchJobsPerHour,
        maxItemsPerBatch: row.max_items_per_batch ?? defaultLimits.maxItemsPerBatch,
      },
    },
  };
}
