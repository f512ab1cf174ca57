import type { SqlState } from './connection/database-errors.ts';
import { means } from './connection/sql-states.ts';
import { isId } from './ids.ts';
import { serviceOnly } from './made/guards.ts';
import { type TableAccess, tableAccess } from './roles/access.ts';
import { tables } from './tables/index.ts';
import type { NumberRule } from './tables/table.ts';

const address = 'must be an http or https address of 2048 characters at most, or empty';
const times = 'must be in the years 1 to 9999';
const place = 'must be 1000000000 at most';

/**
 * The requirement of a constraint, where neither its table's row nor PostgreSQL's report of the error says it. It
 * begins with the column, as a person reads it in Studio.
 */
export const constraintSentences: Readonly<Record<string, string>> = {
  locations_code_check: 'locations.code must have 8 characters: digits, and small letters but i, l, o and u',
  locations_created_at_check: `locations.created_at ${times}`,
  locations_currency_check: 'locations.currency must be three capital letters: UYU',
  locations_opening_hours_check:
    'locations.opening_hours must be as in docs/contract-resources.md: {"weekly": [{"day": "monday", "opens": "09:00", "closes": "17:30"}], "exceptions": []}',
  locations_paused_until_check: `locations.paused_until ${times}`,
  locations_timezone_fkey: 'locations.timezone must be an IANA time zone: America/Montevideo',
  locations_code_key: 'locations.code: another location has this code, choose another one',
  api_keys_permissions_check: 'api_keys.permissions must have a value: comanda keys update changes it',
  api_keys_permissions_list_check: 'api_keys.permissions must be one list: comanda keys update changes it',
  api_keys_key_hash_check: 'api_keys.key_hash is made with the key: comanda keys create makes one',
  api_keys_key_hash_key: 'api_keys.key_hash: another key has this text, comanda keys create makes a new one',
  api_keys_limits_check:
    'api_keys.per_minute, monthly, batch_jobs_per_hour and max_items_per_batch must be 1 or more: leave one empty for the limit of all',
  api_keys_times_check: `api_keys.expires_at and revoked_at ${times}`,
  categories_external_id_form_idx:
    'categories.external_id: another category has the same one, with accents that are written in another form',
  products_external_id_form_idx:
    'products.external_id: another product has the same one, with accents that are written in another form',
  products_sku_form_idx:
    'products.sku: another product has the same one, with accents that are written in another form',
  subselections_external_id_form_idx:
    'subselections.external_id: another row of the same product_id has the same one, with accents that are written in another form',
  subselection_items_external_id_form_idx:
    'subselection_items.external_id: another row of the same subselection_id has the same one, with accents that are written in another form',
  orders_external_id_form_idx:
    'orders.external_id: another order has the same one, with accents that are written in another form',
  categories_image_url_check: `categories.image_url ${address}`,
  products_tax_rate_check:
    'products.tax_rate must be a percentage from 0 to 100, with four decimals at most, or empty',
  products_image_url_check: `products.image_url ${address}`,
  subselections_position_check: `subselections.position ${place}`,
  subselections_range_check:
    'subselections.min_selection must be 0 or more, and max_selection must not be less: change both at once',
  subselection_items_position_check: `subselection_items.position ${place}`,
  subselection_items_image_url_check: `subselection_items.image_url ${address}`,
  subselection_items_range_check:
    'subselection_items.min must be 0 or more, and max must not be less: change both at once',
  menus_version_check: 'menus.version must be from 0 to 2000000000',
  menus_one_published_idx: 'menus.is_published: another menu of this restaurant is published, end that first',
  menu_categories_position_check: `menu_categories.position ${place}`,
  turns_batch_number_check: 'turns.batch_number must be from 1 to 2000000000',
  turns_times_check: `turns.started_at and ended_at ${times}`,
  turns_ended_at_check:
    'turns.ended_at must not be before started_at, and only a closed turn has one: set its status alone',
  turns_one_open_idx: 'turns.status: a turn of this restaurant is open, close that first',
  payments_location_id_order_id_replaced_key:
    'payments.order_id: the order has a payment that is not rejected, reject that first',
  payments_replaced_check:
    'payments.status: another payment of the order followed this one, so it stays rejected',
  orders_number_check: 'orders.number must be 2000000000 at most, and not 0: leave it to the service',
  webhook_endpoints_url_check:
    'webhook_endpoints.url must be an http or https address of 2048 characters at most, without spaces: https://pos.example/hook',
  webhook_endpoints_events_check:
    'webhook_endpoints.events must be a list of events without empty places: {order.created,order.updated}',
  webhook_endpoints_include_check:
    'webhook_endpoints.include holds snapshot and customer, each once, or nothing',
  webhook_endpoints_version_check: 'webhook_endpoints.api_version must be v1 or v2',
};

/**
 * One sentence for a person whose statement was refused: what is wrong, of which column, and what to do. It never shows the
 * row. Undefined where the database's own sentence is one: a guard's, or of a statement that cannot be read.
 */
export function refusalSentence(refused: SqlState): string | undefined {
  const { code, message } = refused;
  if (means(code, 'empty')) return emptySentence(refused);
  if (means(code, 'taken')) return takenSentence(refused);
  if (means(code, 'referenced')) return referredSentence(refused);
  if (means(code, 'unfit')) return unfitSentence(refused);
  if (means(code, 'tooLarge')) return tooLargeSentence(message);
  if (means(code, 'tooLong')) return tooLongSentence(message);
  if (means(code, 'unreadable')) return unreadableSentence(message);
  if (means(code, 'notGranted')) return deniedSentence(message);
  if (means(code, 'lockTimeout')) return 'another session is writing this row: try again in a moment';
  if (means(code, 'collided'))
    return 'another session edited the same rows at the same moment: look at them, and edit again';
  if (means(code, 'canceled'))
    return 'it took too long and was ended: filter by one restaurant, or take fewer rows';
  if (means(code, 'guarded')) return laterSentence(message);
  const view = means(code, 'notUpdatable') && /view "(\w+)"/.exec(message)?.[1];
  return view ? viewSentence(view) : undefined;
}

/**
 * Whether the sentence names no column, since PostgreSQL does not: a caller that knows the statement may name it
 * before.
 */
export const lacksColumn = ({ code }: SqlState): boolean => means(code, 'tooLarge', 'tooLong', 'unreadable');

const emptySentence = ({ table, column }: SqlState): string =>
  `${column === undefined ? 'a column' : `${table}.${column}`} must have a value: write one, or discard the edit`;

function takenSentence({ table = '', constraint = '', detail = '' }: SqlState): string {
  const sentence = constraintSentences[constraint];
  if (sentence !== undefined) return sentence;
  const { columns, value } = keyIn(detail);
  const [column] = columns;
  if (columns.length === 1 && value !== undefined)
    return `${table}.${column}: another row has ${isId(value) ? 'the same id' : shortened(value)}, choose another one`;
  return `${table}: there is such a row, with the same ${listed(columns)}`;
}

function referredSentence({ table = '', constraint = '', detail = '', message }: SqlState): string {
  const sentence = constraintSentences[constraint];
  if (sentence !== undefined) return sentence;
  const from = /^update or delete on table "(\w+)"/.exec(message)?.[1];
  if (from !== undefined) {
    const by = /on table "(\w+)"$/.exec(message)?.[1] ?? table;
    return `${from}: rows of ${by} refer to this row, so it stays: change or delete those first`;
  }
  const { columns } = keyIn(detail);
  const target = /is not present in table "(\w+)"/.exec(detail)?.[1] ?? 'the other table';
  const named = columns.length === 0 ? ['location_id'] : columns;
  return `${table}.${listed(named)}: no row of ${target} in this restaurant has this id, copy one from there`;
}

/** The sentence of a constraint. An error raised by one of our triggers names none, and is a sentence. */
function unfitSentence({ table = '', constraint }: SqlState): string | undefined {
  if (constraint === undefined) return undefined;
  const sentence = constraintSentences[constraint];
  if (sentence !== undefined) return sentence;
  return (
    columnSentences[constraint] ??
    `${table} has a rule that this breaks, ${constraint}: look at its columns in docs/admin.md`
  );
}

/**
 * Of a column's length or number, which the row of its table has, by the name of the constraint. PostgreSQL names no
 * table where a domain refuses.
 */
const columnSentences: Readonly<Record<string, string>> = Object.fromEntries(
  tables.flatMap(({ name: table, columns }) =>
    Object.entries(columns).flatMap(([column, { length, number }]) => {
      const rule = length === undefined ? number && numberRule(number) : lengthRule(column, length);
      return rule === undefined ? [] : [[`${table}_${column}_check`, `${table}.${column} must ${rule}`]];
    }),
  ),
);

function lengthRule(column: string, [least, most]: readonly [number, number]): string {
  const bound = least > 0 ? `${least} to ${most} characters` : `${most} characters at most`;
  return `have ${bound}${column === 'external_id' ? ', and no control characters' : ''}`;
}

function numberRule({ least, most, decimals }: NumberRule): string {
  return `be from ${least} to ${most}, with ${['no', 'one', 'two', 'three', 'four'][decimals]} decimals at most`;
}

/** Whether a constraint has a sentence of its own, before PostgreSQL's report of the error. */
export const hasSentence = (constraint: string): boolean =>
  constraint in constraintSentences || constraint in columnSentences;

const ranges: Readonly<Record<string, string>> = {
  smallint: 'from -32768 to 32767',
  integer: 'from -2147483648 to 2147483647',
  bigint: 'from -9223372036854775808 to 9223372036854775807',
};

function tooLargeSentence(message: string): string {
  const [, value = 'the number', type = ''] =
    /^value "(.*)" is out of range for type (\w+)$/s.exec(message) ?? [];
  const range = ranges[type] ?? ranges[/^(\w+) out of range$/.exec(message)?.[1] ?? ''];
  return `${shortened(value)} does not fit: write a ${range === undefined ? 'smaller number' : `number ${range}`}`;
}

function tooLongSentence(message: string): string {
  const most = /\((\d+)\)$/.exec(message)?.[1];
  return `the text is too long: write ${most === undefined ? 'a shorter one' : `${most} characters at most`}`;
}

function unreadableSentence(message: string): string {
  const value = shortened(/: "(.*)"$/s.exec(message)?.[1] ?? 'the text');
  const type = /type ([\w ]+)/.exec(message)?.[1] ?? '';
  if (/enum/.test(message)) return `"${value}" is none of its values: choose one that the editor shows`;
  if (/array literal/.test(message)) return `"${value}" is no list: write it in braces, as {one,two}`;
  if (/time|date/.test(message)) return `"${value}" is no time: write it as 2026-11-22 21:00:00Z`;
  if (/smallint|integer|bigint/.test(type)) return `"${value}" is no whole number: write digits alone`;
  if (/numeric|double|real/.test(type))
    return `"${value}" is no number: write digits, and a point before decimals, as 12.50`;
  if (/uuid/.test(type)) return `"${value}" is no id: copy one from the row that is meant`;
  return `"${value}" cannot be read as ${type === '' ? 'a value of this column' : type}: write it another way`;
}

function deniedSentence(message: string): string {
  const [, kind = '', name = ''] = /^permission denied for (\w+) (\w+)$/.exec(message) ?? [];
  if (kind === 'view') return viewSentence(name);
  const access = kind === 'table' ? tableAccess.find(({ table }) => table === name) : undefined;
  if (access !== undefined) return tableSentence(access);
  return `${name === '' ? 'this' : `${kind} ${name}`} is the service's alone: use the desk, or comanda`;
}

const viewSentence = (view: string): string =>
  `${view} shows rows of other tables: follow its arrows, and edit there`;

function tableSentence({ table, admin, edited }: TableAccess): string {
  const row = tables.find(({ name }) => name === table);
  const sentence = row === undefined ? undefined : serviceOnly(row);
  if (edited.length === 0) return `${table}: ${sentence ?? 'people read it, and the service writes it'}`;
  const rows = admin.includes('delete') ? '' : '. Its rows are not deleted';
  return `${table}: people edit ${listed(edited)}, and the service writes the rest${rows}`;
}

/** Of an undo (audit_undo.sql), which names the row by its key as JSON. */
function laterSentence(message: string): string | undefined {
  const [, table, key = ''] = /^a later change is in (\w+): (\{.*\})$/s.exec(message) ?? [];
  if (table === undefined) return undefined;
  const id = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(key)?.[0];
  return `a later change is in ${table}: undo that first${id === undefined ? '' : ` (comanda audit --id ${id})`}`;
}

/** PostgreSQL's report of a key, without the restaurant: `Key (location_id, sku)=(01a…, TAKEN) already exists.` */
function keyIn(detail: string): { columns: string[]; value?: string } {
  const [, names = '', values = ''] =
    /^Key \((.+?)\)=\((.*)\) (?:already exists|is not present|is still referenced|is referenced)/s.exec(
      detail,
    ) ?? [];
  const all = names === '' ? [] : names.split(', ');
  const columns = all.filter((name) => name !== 'location_id');
  // An id has no comma: what follows the restaurant's is the value of the one column that is left.
  const value = all[0] === 'location_id' ? values.slice(values.indexOf(', ') + 2) : values;
  return { columns, ...(columns.length === 1 && { value }) };
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
