import { byConstraint, byGuard, byNames, type HandEdit } from './hand-edit.ts';
import { editsOfMoney } from './hand-edits-of-money.ts';

/** Each is refused. `$1` is the location. */
const editsOfOthers: readonly HandEdit[] = [
  ...byGuard(/counts follow the rows/, {
    'deletes the counts of products': 'delete from internal.tallies where location_id = $1',
    'deletes the counts of orders': 'delete from internal.tally_notes where location_id = $1',
  }),
  ...byGuard(/counts follow/, {
    'changes the counts of products': 'update internal.tally_notes set n = 7 where location_id = $1',
  }),
  ...byGuard(/cannot be edited/, {
    'empties an event': `update events set body = '{}' where location_id = $1`,
    'moves an event in the feed': 'update events set number = 999999 where location_id = $1',
    'deletes an event': 'delete from events where location_id = $1',
  }),
  ...byGuard(/id, the location, .* never change/, {
    'changes the id of an order':
      'update orders set id = gen_random_uuid() where number = 1 and location_id = $1',
  }),
  ...byGuard(/id, the location .* of a product never change/, {
    'changes the id of a product': 'update products set id = gen_random_uuid() where location_id = $1',
  }),
  ...byGuard(/text of a key never change/, {
    'gives a key to another location':
      'update api_keys set location_id = (select id from locations where id <> $1 limit 1) where location_id = $1',
  }),
  ...byConstraint(
    /^currency must be an ISO 4217 code of three capital letters, such as UYU: "xx " is none$/,
    {
      'sets a currency that is none': `insert into locations (name, timezone, currency) select name, timezone, 'xx' from locations where id = $1`,
    },
  ),
  ...byGuard(/the currency of a location with orders or settlements never changes/, {
    'sets another currency where there are amounts': `update locations set currency = 'EUR' where id = $1`,
  }),
  ...byConstraint(/name of locations must have characters that are seen/, {
    'takes the name of a location': `update locations set name = '' where id = $1`,
  }),
  ...byNames(/no event "order.canceled" .*do you mean order\.cancelled\?/, {
    'subscribes to an event that is none': `update webhook_endpoints set events = '{order.canceled}' where location_id = $1`,
  }),
  ...byConstraint(/^the url of an endpoint must be an absolute http or https URL without spaces, such as /, {
    'sets a URL that is none': `update webhook_endpoints set url = 'not a url' where location_id = $1`,
  }),
  ...byGuard(/POST \/v2\/webhook-endpoints/, {
    'inserts an endpoint, which would have no secret': `insert into webhook_endpoints (location_id, url, events) values ($1, 'https://example.com', '{order.created}')`,
  }),
  ...byGuard(/signing secrets are the service's/, {
    'deletes the secret of an endpoint': 'delete from internal.webhook_secrets where location_id = $1',
  }),
  ...byGuard(/deliveries are the service's/, {
    'says that a delivery was tried 99 times':
      'update webhook_deliveries set attempts = 99 where location_id = $1',
    'says that a delivery arrived': `update webhook_deliveries set status = 'delivered' where location_id = $1`,
  }),
  ...byGuard(/attempts are noted by the service/, {
    'deletes attempts': 'delete from webhook_attempts where location_id = $1',
  }),
  ...byGuard(/version follows the catalog/, {
    'sets back the version of the catalog':
      'update internal.catalog_versions set token = 0 where location_id = $1',
  }),
  ...byGuard(/revoked for good/, {
    'revives a revoked key':
      'update api_keys set revoked_at = null where location_id = $1 and revoked_at is not null',
  }),
  ...byConstraint(/^per_minute of a key must be 1 or more: /, {
    'sets a limit below one': 'update api_keys set per_minute = -5 where location_id = $1',
  }),
  ...byNames(/no permission "nonsense"/, {
    'grants a permission that is none': `update api_keys set permissions = '{orders:read,nonsense}' where location_id = $1`,
  }),
  ...byGuard(/comanda locations delete/, {
    'says that a location is being deleted': `update locations set status = 'deleting' where id = $1`,
  }),
  ...byGuard(/comanda keys update <id> --permissions .* --as <your name>/, {
    'changes what a key may do': `update api_keys set permissions = '{orders:write}' where location_id = $1`,
  }),
  ...byGuard(/comanda keys create/, {
    'inserts a key': `insert into api_keys (location_id, name, prefix, key_hash, permissions) values ($1, 'x', 'x', '\\x00', '{*}')`,
  }),
  ...byGuard(/sent again would be done again/, {
    'deletes an idempotency key': 'delete from internal.idempotency_keys where location_id = $1',
  }),
  ...byGuard(/counted by the service/, {
    'gives back what a key has used':
      'update internal.limit_counters set used = 0 where $1::uuid is not null',
  }),
  ...byGuard(/comanda app code/, {
    'makes an old code of the app young again':
      'update internal.app_codes set created_at = now() where location_id = $1',
  }),
  ...byGuard(/processes report themselves/, {
    'has a process live in 2030': `update internal.process_heartbeats set seen_at = '2030-01-01' where $1::uuid is not null`,
  }),
  ...byGuard(/audit is written by the service alone/, {
    'changes the audit': `update audit_entries set operation = 'x' where location_id = $1`,
    'deletes from the audit': 'delete from audit_entries where location_id = $1',
  }),
  ...byConstraint(/products_price_check/, {
    'sets a price with three decimals': 'update products set price = 12.345 where location_id = $1',
  }),
  ...byConstraint(/name of products must have characters that are seen/, {
    'takes the name of a product': `update products set name = '' where location_id = $1`,
    'names a product with three blanks': `update products set name = '   ' where location_id = $1`,
  }),
  ...byConstraint(/products_image_url_check/, {
    'sets an image that is a script': `update products set image_url = 'javascript:alert(1)' where location_id = $1`,
  }),
  ...byConstraint(/external_id of orders must have characters that are seen/, {
    'empties an external_id': `update orders set external_id = '' where location_id = $1 and number = 1`,
  }),
  ...byConstraint(/channel must have 1 to 255/, {
    'sets a channel of 5000 characters': `update orders set channel = repeat('x', 5000) where location_id = $1`,
  }),
  ...byConstraint(/only an order that is canceled/, {
    'gives a cancel reason to an order that is not canceled': `update orders set cancel_reason = 'why' where location_id = $1`,
  }),
];

/** Each of money and of others. */
export const handEdits: readonly HandEdit[] = [...editsOfMoney, ...editsOfOthers];
