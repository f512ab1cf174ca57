import type { Chance } from '../../support/chance.ts';
import { type Column, columnOf, type Table } from './tables.ts';

/** The target of a value. `location` is SQL for the id of a location. */
export interface Place {
  chance: Chance;
  table: Table;
  location: string;
  /** Whether the session may make a function of its own. */
  functions: boolean;
  /** Rises with every call: part of texts that must be new. */
  next(): number;
}

// Addresses are those of this machine: what is written here is sent to.
const texts = [
  "''",
  "' '",
  "'x'",
  "repeat('x', 256)",
  "repeat('y', 20000)",
  "E'a\\nb'",
  "E'\\u0001'",
  "E'\\u0085'",
  '\'Ñandú "quoted" \\\'',
  "E'\\u2028'",
  "'javascript:alert(1)'",
  "'ABC'",
  "'usd'",
  "'Asia/Kathmandu'",
  "'UYT3'",
  "'America/Montevideo'",
  "'UTC'",
  "'http://127.0.0.1:9/hook'",
  "'http://127.0.0.1:99999/'",
  "'http://[::1'",
  "'not a url'",
  "'v1'",
  "'v2'",
  "'catalog'",
  "'order'",
  "'{}'",
  "'01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d'",
];
const whole = [
  '0',
  '1',
  '-1',
  '2',
  '7',
  '1000',
  '32767',
  '-32768',
  '2147483647',
  '2147483646',
  '-2147483648',
];
const numbers = [
  '0',
  '1',
  '12.5',
  '0.001',
  '12.345',
  '-1',
  '-0.01',
  '9999999999.99',
  '9999999999.999',
  '1e11',
];
const oddNumbers = ["'NaN'::numeric", "'Infinity'::numeric", "'-Infinity'::numeric", '1e40'];
const moments = [
  'now()',
  "now() - interval '1 day'",
  "now() + interval '1 year'",
  "now() - interval '10 years'",
  "'1969-12-31 23:59:59.999Z'",
  "'1883-11-18Z'",
  "'0001-01-01Z'",
  "'0044-03-15 BC'",
  "'9999-12-31 23:00Z'",
  "'12026-01-01Z'",
  "'294276-12-31Z'",
  "'infinity'",
  "'-infinity'",
];
const lists = [
  "'{}'",
  "'{NULL}'",
  "'{order.created}'",
  "'{order.created,order.created}'",
  "'{turn.open,stock.updated}'",
  "'{{order.created},{turn.open}}'",
  "'[0:1]={order.created,turn.open}'",
  "'{webhook.test}'",
  "'{order.*}'",
  "'{*}'",
  "'{orders:read}'",
  "'{orders:read,orders:read}'",
  "'{{orders:read}}'",
  '\'{""}\'',
  "'{x}'",
];
const documents = [
  "'{}'",
  "'[]'",
  "'null'",
  "'1'",
  `'"x"'`,
  `'[1]'`,
  `'[null]'`,
  `'[[]]'`,
  `'{"a":{"b":[1e400]}}'`,
  `'[{"item_id":1,"quantity":1}]'`,
  `'[{"item_id":"x","quantity":1}]'`,
  `'[{"item_id":"x","quantity":"1"}]'`,
  `'[{"item_id":"01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d","quantity":1e30,"stock_taken":1}]'`,
  `'[{"item_id":"01935a3e-7c1f-7d2a-9b40-5f6c2e8a1b3d","quantity":1,"stock_taken":"maybe"}]'`,
];

/** A value that a person may write into the column, as SQL: often one that fits, else any value that the type allows. */
export function valueFor(place: Place, column: Column): string {
  const { chance } = place;
  if (chance.percent(column.nullable ? 12 : 2)) return 'null';
  if (chance.percent(4)) return 'default';
  if (column.references !== undefined && chance.percent(85)) return referenced(place, column);
  if (chance.percent(25)) return `(${existing(place, place.table.name, column.name)})`;
  return typed(place, column);
}

/** A value of a column of some row; of the location three times in four. */
function existing({ chance, table, location }: Place, of: string, column: string): string {
  const located = of === table.name && columnOf(table, 'location_id') !== undefined && chance.percent(75);
  const where = located ? ` where location_id = ${location}` : '';
  return `select ${column} from ${of}${where} order by 1 offset ${offset(chance, of)} limit 1`;
}

/** The target of a foreign key: mostly a row of the location. */
function referenced(place: Place, { name, references }: Column): string {
  if (references === undefined) return 'null';
  const { chance, location } = place;
  if (name === 'location_id')
    return chance.percent(85)
      ? location
      : `(select id from locations where id <> ${location} order by id limit 1)`;
  const { table, column } = references;
  // Neither of these belongs to a location.
  const free = ['internal.time_zones', 'locations'].includes(table);
  const where = chance.percent(90) && !free ? ` where location_id = ${location}` : '';
  return `(select ${column} from ${table}${where} order by ${column} offset ${offset(chance, table)} limit 1)`;
}

/** A place among the rows of a table, as SQL. */
export const offset = (chance: Chance, table: string): string =>
  `(select ${chance.between(0, 9_999)} % greatest(1, least(40, count(*))) from ${table})`;

function typed(place: Place, { name, type, labels }: Column): string {
  const { chance } = place;
  switch (type) {
    case 'enum':
      return `'${chance.pick(labels)}'`;
    case 'bool':
      return chance.pick(['true', 'false', `not ${name}`]);
    case 'uuid':
      return chance.pick([
        'gen_random_uuid()',
        `'00000000-0000-0000-0000-000000000000'`,
        place.location,
        'uuid_v7()',
      ]);
    case 'int2':
    case 'int4':
    case 'int8':
      return chance.percent(50)
        ? `${chance.between(0, 60)}`
        : chance.pick([...whole, `${name} + 1`, `- ${name}`]);
    case 'numeric':
      if (chance.percent(40)) return `${chance.between(0, 400)} / 4.0`;
      return chance.pick([...numbers, ...oddNumbers, `${name} + 1`, `${name} * 10`]);
    case 'timestamptz':
      return chance.pick([...moments, `${name} - interval '40 days'`]);
    case 'jsonb':
      return chance.percent(30) ? selection(place) : chance.pick(documents);
    case '_text':
      return chance.pick(lists);
    case 'bytea':
      return chance.pick([`'\\x'`, `'\\x00'`, `decode(repeat('ab', 32), 'hex')`]);
    default:
      return chance.percent(50) ? `'hand ${place.next()}'` : chance.pick(texts);
  }
}

const selection = ({ chance, location }: Place): string =>
  `(select jsonb_build_array(jsonb_build_object('item_id', id, 'quantity', ${chance.between(1, 3)}))
    from subselection_items where location_id = ${location} order by id limit 1)`;
