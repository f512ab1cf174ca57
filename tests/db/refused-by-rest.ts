import { z } from 'zod';
import { SyncedItem, SyncedSubselection } from '../../packages/api/src/resources/catalog/sync.schema.ts';
import { KeyUpdate } from '../../packages/api/src/resources/keys/schema.ts';
import { LocationPause } from '../../packages/api/src/resources/locations/schema.ts';
import {
  Customer,
  carriedCreate,
  DeliveryAddress,
} from '../../packages/api/src/resources/orders/carried.schema.ts';
import {
  OrderCancel,
  OrderCreate,
  OrderUpdateStatus,
} from '../../packages/api/src/resources/orders/schema.ts';
import { ProductUpdate } from '../../packages/api/src/resources/products/schema.ts';
import { StockInput } from '../../packages/api/src/resources/stock/schema.ts';
import { checkWebhookUrl } from '../../packages/api/src/resources/webhook-endpoints/address.rules.ts';
import { text } from '../../packages/api/src/wire.ts';
import { operations } from '../support/documented.ts';

const named = ProductUpdate.shape.external_id;
const limit = KeyUpdate.shape.per_minute.unwrap().nullable();
const address = z.string().superRefine((text, context) => {
  const verdict = checkWebhookUrl(text, 'any', []);
  if (!verdict.ok) context.addIssue({ code: 'custom', message: verdict.reason });
});

const { note, promised_at, guests } = carriedCreate;
const { name, phone, email, tax_id } = Customer.shape;
const { city, postal_code, country } = DeliveryAddress.shape;

type Fields = Readonly<Record<string, z.ZodType | 'no field'>>;

/**
 * The fields of the API that write columns, by table, where they are not those of the resource's `update`. A person empties a value that
 * the API leaves out. No field writes the columns that name rows, places, and columns that an operation sets.
 */
const ownFields: Readonly<Record<string, Fields>> = {
  product_stock: StockInput.shape,
  product_categories: { product_id: 'no field', category_id: 'no field' },
  subselections: {
    ...SyncedSubselection.shape,
    external_id: named,
    product_id: 'no field',
    position: 'no field',
  },
  subselection_items: {
    ...SyncedItem.shape,
    external_id: named,
    stock_enabled: StockInput.shape.enabled,
    stock_quantity: StockInput.shape.quantity,
    subselection_id: 'no field',
    position: 'no field',
  },
  menus: { is_published: 'no field', published_at: 'no field' },
  menu_categories: { menu_id: 'no field', category_id: 'no field', position: 'no field' },
  locations: {
    status: 'no field',
    paused: 'no field',
    paused_until: LocationPause.shape.until.nullable(),
    pause_reason: LocationPause.shape.reason.nullable(),
    // Which JSON is taken: opening-hours.test.ts.
    opening_hours: 'no field',
  },
  api_keys: {
    ...KeyUpdate.shape,
    per_minute: limit,
    monthly: limit,
    batch_jobs_per_hour: limit,
    max_items_per_batch: limit,
    revoked_at: 'no field',
  },
  webhook_endpoints: { url: address, api_version: 'no field' },
  orders: {
    external_id: named,
    channel: OrderCreate.shape.channel.nullable(),
    identifier: OrderCreate.shape.identifier,
    is_take_away: OrderCreate.shape.is_take_away,
    status: OrderUpdateStatus.shape.status,
    cancel_reason: OrderCancel.shape.reason.nullable(),
    note: note.nullable(),
    promised_at: promised_at.nullable(),
    guests: guests.nullable(),
    customer_name: name.nullable(),
    customer_phone: phone.nullable(),
    customer_email: email.nullable(),
    customer_tax_id: tax_id.nullable(),
    delivery_lines: text(0, 1_000).nullable(),
    delivery_city: city.nullable(),
    delivery_postal_code: postal_code.nullable(),
    delivery_country: country.nullable(),
    delivery_note: DeliveryAddress.shape.note.nullable(),
  },
  payments: { status: 'no field' },
  turns: { status: 'no field' },
};

/** The field of the API that writes each column of a table. A resource's `update` is found by the name of its table. */
export function fieldsOf(table: string): Fields {
  const resource = table.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const update = operations.find(({ name }) => name === `${resource}.update`);
  return { ...update?.input.shape, ...ownFields[table] };
}

/** The row that is edited, where it is not any of the location. */
export const rowOf: Readonly<Record<string, string>> = {
  products: `sku = 'cola'`,
  orders: 'number = 2',
  payment_methods: `name = 'Voucher'`,
  api_keys: 'revoked_at is null',
  subselection_items: `name = 'Bacon'`,
  subselections: `name = 'Extras'`,
};

const lengths = [256, 501, 1_001, 2_049, 10_001].map((length) => 'x'.repeat(length));
const urls = [
  'javascript:alert(1)',
  'ftp://pos.example',
  '/hook',
  'https://',
  'https://a b',
  'https:/pos.example',
  'https://user:secret@pos.example/',
  'https://pos.example/#part',
  'https://pos.example\\hook',
];
const words = [
  '',
  ' ',
  '\u00a0\t',
  'a\u0007b',
  'a\u0085b',
  'uyu',
  'UY',
  'UYUU',
  'Nowhere/Town',
  'tomorrows',
  'app: ana',
  'x',
];

/** Values to try in a column, by its type in PostgreSQL. */
export const valuesFor: Readonly<Record<string, readonly unknown[]>> = {
  text: [null, ...words, ...urls, ...lengths],
  number: [
    null,
    -1,
    -0.01,
    0.5,
    0.005,
    0.0005,
    0.00005,
    100.5,
    101,
    32_768,
    -32_769,
    2_147_483_648,
    1e10,
    'many',
    '12,5',
  ],
  boolean: [null, 'perhaps'],
  array: [null, [], ['x'], ['order.created', 'order.created'], ['snapshot', 'snapshot']],
};

/** The reason of the API, and the words of the same reason in a sentence for a person. */
export const sameReason: readonly (readonly [api: RegExp, sentence: RegExp])[] = [
  [/, not null$/, /must have a value|must be a list/],
  [/control characters/, /control characters/],
  [/character/, /characters/],
  [/decimals|whole number/, /decimals at most|is no whole number/],
  [/negative|must be (at least|at most|-?\d)/, /must be .*\d|does not fit/],
  [/http or https URL/, /http or https/],
  [/credentials/, /credentials/],
  [/fragment/, /fragment/],
  [/IANA time zone/, /IANA time zone/],
  [/ISO 4217/, /ISO 4217|3 characters at most/],
  [/at least one event type/, /without events/],
  [/repeat/, /each event once|each once, or nothing/],
  [/must be one of|must be snapshot|is unknown/, /none of its values|no event|each once, or nothing/],
  [/true or false/, /cannot be read as boolean/],
  [/must be a number/, /is no (whole )?number/],
  [/timestamp/, /is no time/],
  [/begin with "app: "/, /begins with "app: "/],
];
