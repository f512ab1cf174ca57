import { type SecretOwner, type Statement, statement } from '@comanda/db';

/** Something that is stored sealed: a signing secret, or the answer of a call that holds one. */
export interface SealedRow {
  location_id: string;
  /** The identifier of the row at its location: a JSON array, as text. */
  place: string;
  /** The endpoint, or the call that is answered. */
  owner: string;
  encryption_key_id: string;
  sealed: Buffer;
}

/** A table in which something is stored sealed. */
export interface SealedTable {
  /** $1 location and $2 place of the row before the page (null: its beginning), $3 how many. */
  read: Statement<SealedRow>;
  /**
   * $1 the key id, then as many of each: $2 locations, $3 places, $4 the texts that were read, $5 the same sealed
   * again. Only rows that are unchanged since they were read: a row that another rotation sealed meanwhile is left to
   * it.
   */
  write: Statement<{ location_id: string }>;
  ownerOf(row: SealedRow): SecretOwner;
}

/** Every table in which something is stored sealed. */
export const sealedTables: readonly SealedTable[] = [
  {
    read: statement(
      'read_sealed_secrets',
      `select s.location_id, jsonb_build_array(s.id)::text as place, s.endpoint_id::text as owner, s.encryption_key_id,
         s.sealed from internal.webhook_secrets s
       where (s.location_id, s.id) > ($1::uuid, coalesce(($2::jsonb ->> 0)::uuid, $1::uuid))
       order by s.location_id, s.id limit $3`,
    ),
    write: statement(
      'write_sealed_secrets',
      `update internal.webhook_secrets s set encryption_key_id = $1, sealed = fresh.sealed
       from unnest($2::uuid[], $3::jsonb[], $4::bytea[], $5::bytea[]) as fresh (location_id, place, was, sealed)
       where s.location_id = fresh.location_id and s.id = (fresh.place ->> 0)::uuid and s.sealed = fresh.was
       returning s.location_id`,
    ),
    ownerOf: ({ location_id, owner }) => ({ locationId: location_id, endpointId: owner }),
  },
  {
    read: statement(
      'read_sealed_answers',
      `select k.location_id, jsonb_build_array(k.api_key_id, k.operation, k.key)::text as place,
         k.api_key_id || '/' || k.operation || '/' || k.key as owner, k.encryption_key_id, k.sealed
       from internal.idempotency_keys k
       where k.sealed is not null and (k.location_id, k.api_key_id, k.operation, k.key)
         > ($1::uuid, coalesce(($2::jsonb ->> 0)::uuid, $1::uuid), coalesce($2::jsonb ->> 1, ''), coalesce($2::jsonb ->> 2, ''))
       order by k.location_id, k.api_key_id, k.operation, k.key limit $3`,
    ),
    write: statement(
      'write_sealed_answers',
      `update internal.idempotency_keys k set encryption_key_id = $1, sealed = fresh.sealed
       from unnest($2::uuid[], $3::jsonb[], $4::bytea[], $5::bytea[]) as fresh (location_id, place, was, sealed)
       where k.location_id = fresh.location_id and k.api_key_id = (fresh.place ->> 0)::uuid
         and k.operation = fresh.place ->> 1 and k.key = fresh.place ->> 2 and k.sealed = fresh.was
       returning k.location_id`,
    ),
    ownerOf: ({ location_id, owner }) => ({ locationId: location_id, answerTo: owner }),
  },
];

/** How many are sealed with each key. */
export const countSealed = statement<{ key_id: string; secrets: number }>(
  'count_sealed_secrets',
  `select s.encryption_key_id as key_id, count(*)::int as secrets
   from (select encryption_key_id from internal.webhook_secrets
     union all select encryption_key_id from internal.idempotency_keys where sealed is not null) s
   group by 1 order by 1`,
);
