import { statement } from '@comanda/db';

/** A delivery that this worker holds, with all that its next attempt needs but body and secrets. */
export interface HeldDelivery {
  id: string;
  eventId: string;
  eventType: string;
  /** The request that made the change; null when no request made it. */
  requestId: string | null;
  /** The position of that request in a trace. */
  traceparent: string | null;
  /** Attempts that were made before. */
  attempts: number;
  /** The time of the claim in Unix seconds, by the database's clock. */
  claimedAt: number;
  url: string;
}

/** The signing secrets of an endpoint that are valid now, newest first, as they are stored. */
export type StoredSecrets = { keyId: string; sealed: string }[] | null;

/** Names those secrets, for a comparison with what is stored later: the statement `still_deliverable` makes the same. */
export const sealedOf = (secrets: StoredSecrets): string =>
  (secrets ?? []).map(({ sealed }) => sealed).join();

/** A delivery that was due, as its claim answers it. */
export interface ClaimedDelivery extends HeldDelivery {
  /** When it was due, as Postgres writes it. */
  dueAt: string;
  secrets: StoredSecrets;
}

/** SQL for the secrets of an endpoint as `StoredSecrets`. */
export function storedSecrets(locationId: string, endpointId: string): string {
  return `(select json_agg(json_build_object('keyId', s.encryption_key_id, 'sealed', encode(s.sealed, 'hex'))
      order by s.created_at desc, s.id desc)
    from internal.webhook_secrets s where s.location_id = ${locationId} and s.endpoint_id = ${endpointId}
      and (s.expires_at is null or s.expires_at > now()))`;
}

// Each statement looks its rows up one by one, for any estimate of the planner: `limit 1` keeps a look-up from becoming
// a join, which could read all of a location (docs/design/database.md, "Plans").

/**
 * SQL for the number after which deliveries to an endpoint may be sent; null when it is disabled or gone. $1 and $2 of
 * a statement are its location and its id, so it is read once, not for each row.
 */
export function deliversAfter(locationId: string, endpointId: string): string {
  return `(select e.delivers_after from webhook_endpoints e
    where e.location_id = ${locationId}::uuid and e.id = ${endpointId}::uuid and e.status = 'active')`;
}

/**
 * Claims due deliveries of an endpoint (prisma/sql/webhooks.sql): location, endpoint, how many, how many bytes, for how
 * many milliseconds, the worker, the number that this worker has in flight, and the due time and id after which to
 * begin. Address and secrets are read in the same statement, so no later claim goes to an address that was replaced.
 */
export const claimDeliveries = statement<ClaimedDelivery & { body: string }>(
  'claim_due_deliveries',
  `select id, event_id as "eventId", event_type as "eventType", request_id as "requestId", traceparent, attempts,
     due_at::text as "dueAt", extract(epoch from clock_timestamp())::float8 as "claimedAt", body, url, secrets
   from claim_due_deliveries($1::uuid, $2::uuid, $3::int, $4::bigint, $5::float8, $6::text, $7::uuid[], $8::timestamptz,
     $9::uuid)`,
);

/**
 * When the endpoint has to be looked at next, at a location that is active: the first delivery that is due and not
 * held, or whose claim runs out. A delivery that another worker holds is looked at again a second later at the
 * earliest. No row when nothing waits.
 */
export const nextDue = statement<{ runAt: Date }>(
  'next_delivery_due',
  `select greatest(d.next_attempt_at, d.leased_until,
     case when d.leased_by is not null then now() + interval '1 second' end) as "runAt" from webhook_deliveries d
   where d.location_id = $1 and d.endpoint_id = $2 and d.next_attempt_at is not null
     and d.number > ${deliversAfter('$1', '$2')}
     and (select l.status from locations l where l.id = $1) = 'active'
   order by 1 limit 1`,
);

// A dropped or recorded delivery is not claimed any more.

/** Gives claims back without an attempt; when they are due stays. */
export const returnDeliveries = statement(
  'return_deliveries',
  `update webhook_deliveries set leased_until = null, leased_by = null
   where ctid = any (array(select d.place from unnest($2::uuid[]) as v (id) cross join lateral (
     select ctid as place from webhook_deliveries where location_id = $1 and id = v.id and leased_by = $3
     for update) d))`,
);

/** Gives back every claim of a worker. */
export const releaseClaims = statement(
  'release_claims',
  `update webhook_deliveries set leased_until = null, leased_by = null
   where next_attempt_at is not null and leased_by = $1`,
);
