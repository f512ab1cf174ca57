import { statement } from '@comanda/db';
import { pageStatement } from '../../call/page-text.ts';

const zone = '(select l.timezone from locations l where l.id = r.location_id)';
const time = (name: string) => `coalesce(',"${name}":"' || wire_time(r.${name}, ${zone}) || '"', '')`;
const entry = `'{"id":"' || r.id || '","status":"' || r.status || '"' || coalesce(',"verdict":' || to_json(r.verdict)::text, '')
  || coalesce(',"role":"' || r.role || '"', '')
  || ',"does":' || ('{"takes_orders":false,"brings_catalog":false}'::jsonb || r.does)::text || coalesce(',"waiting_for":' || r.waiting_for::text, '') || ',"checks":' || r.checks::text
  || ${time('created_at')} || ${time('started_at')} || ${time('completed_at')} || '}'`;

/** $1 location, $2 limit, $3 offset. */
export const listCertifications = pageStatement({
  name: 'list_certifications',
  table: 'certifications',
  order: 'r.created_at desc, r.id desc',
  entry,
  large: true,
});

/** $1 location, $2 id. */
export const readCertification = statement<{ doc: string }>(
  'read_certification',
  `select ${entry} as doc from certifications r where r.location_id = $1::uuid and r.id = $2::uuid`,
);

/** $1 location, $2 id, $3 what the integration does, $4 its role, or null. No row where one is under way. */
export const insertCertification = statement<{ doc: string }>(
  'insert_certification',
  `insert into certifications as r (location_id, id, does, role) values ($1::uuid, $2::uuid, $3::jsonb, $4)
   on conflict (location_id) where status in ('queued', 'running') do nothing returning ${entry} as doc`,
);

/**
 * SQL: `r` is a run of the table `ending`. By ids, as arrays: a run that its worker wrote to meanwhile has another place, which the
 * snapshot of the statement does not show; and a join may read all runs where no statistics know the location.
 */
export const isEnding =
  'r.location_id = any (array(select location_id from ending)) and r.id = any (array(select id from ending))';

/**
 * SQL that aborts the runs of the table `ending`, which precedes it in the same `with` and has `location_id`, `id`,
 * `held_endpoint_id` and `changed` of them; `verdict` is SQL, too. A setting that a run changed is put back where it
 * still has the value that the run set.
 */
export const abortedRuns = (verdict: string): string => `ended as (
     update certifications r set status = 'aborted', verdict = ${verdict}, waiting_for = null, faults = '{}', held_endpoint_id = null,
       changed = null, completed_at = clock_timestamp(), checks = (
         select coalesce(jsonb_agg(case when c.entry ->> 'status' in ('waiting', 'running')
           then c.entry || jsonb_build_object('status', 'not_played', 'reason', ${verdict}) else c.entry end order by c.place), '[]')
         from jsonb_array_elements(r.checks) with ordinality as c (entry, place))
     where ${isEnding}
   ), freed as (
     update webhook_endpoints e set status = 'active' from ending s
     where e.location_id = s.location_id and e.id = s.held_endpoint_id and e.status = 'disabled'
   ), ${priceBack}, cleared as (
     delete from internal.certification_calls c using ending s where c.location_id = s.location_id and c.certification_id = s.id
   )`;

/** SQL of the same kind that puts back the price that a run changed. */
export const priceBack = `priced as (
     update products p set price = (s.changed ->> 'was')::numeric from ending s
     where p.location_id = s.location_id and p.id = (s.changed ->> 'product_id')::uuid and p.price = (s.changed ->> 'set')::numeric
   )`;

/** $1 location, $2 id, $3 why. No row where it has ended. */
export const abortCertification = statement<{ id: string }>(
  'abort_certification',
  `with ending as materialized (
     select r.location_id, r.id, r.held_endpoint_id, r.changed from certifications r
     where r.location_id = $1::uuid and r.id = $2::uuid and r.status in ('queued', 'running') for update
   ), ${abortedRuns('$3::text')}
   select id from ending`,
);
