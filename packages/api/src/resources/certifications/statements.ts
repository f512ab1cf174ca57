import { statement } from '@comanda/db';
import { pageStatement } from '../../request/page-text.ts';

const zone = '(select l.timezone from locations l where l.id = r.location_id)';
const time = (name: string) => `coalesce(',"${name}":"' || wire_time(r.${name}, ${zone}) || '"', '')`;
const entry = `'{"id":"' || r.id || '","status":"' || r.status || '"' || coalesce(',"verdict":' || to_json(r.verdict)::text, '')
  || ',"does":' || r.does::text || coalesce(',"waiting_for":' || r.waiting_for::text, '') || ',"checks":' || r.checks::text
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

/** $1 location, $2 id, $3 what the integration does. No row where one is under way. */
export const insertCertification = statement<{ doc: string }>(
  'insert_certification',
  `insert into certifications as r (location_id, id, does) values ($1::uuid, $2::uuid, $3::jsonb)
   on conflict (location_id) where status in ('queued', 'running') do nothing returning ${entry} as doc`,
);
