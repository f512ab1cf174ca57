import { isState, type Queryable, type Statement, statement } from '@comanda/db';
import type { z } from 'zod';
import { FeedEvent } from '../../resources/events/schema.ts';
import { Order } from '../../resources/orders/schema.ts';
import { Product } from '../../resources/products/schema.ts';
import { reasonOf } from '../check.ts';
import type { Harm, Invariant } from './invariant.ts';

/** A kind of document: the newest ids of a location, how they are shown, and what that must be. */
interface Kind {
  of: string;
  ids: Statement<{ id: string }>;
  documents: Statement<{ id: string; text: string }>;
  schema: z.ZodType;
}

const kinds: readonly Kind[] = [
  {
    of: 'product',
    ids: newestIds('products', 'created_at desc, id desc'),
    documents: documents('products', 'select id, doc as text from products_json($1, $2)'),
    schema: Product,
  },
  {
    of: 'order',
    ids: newestIds('orders', 'created_at desc, id desc'),
    documents: documents('orders', 'select id, doc as text from orders_json($1, $2)'),
    schema: Order,
  },
  {
    of: 'event',
    ids: newestIds('events', 'number desc'),
    documents: documents(
      'events',
      'select id, body as text from events where location_id = $1 and id = any ($2)',
    ),
    schema: FeedEvent,
  },
];

/** Whether everything can be shown as documented: what cannot is answered with 500, or holds up the relay. */
export const shownDocuments: Invariant = {
  name: 'documents',
  means: 'Products, orders and events can be shown, and are as documented.',
  advice: "Repair the row that is named: in one transaction, select deed('repair: <why>'), then update it.",
  of: 'location',
  newest: 200,
  async asks({ database, location, newest }) {
    const harms: Harm[] = [];
    for (const kind of kinds) {
      const ids = (await database.run(kind.ids, [location, newest])).map(({ id }) => id);
      for (let start = 0; start < ids.length && harms.length <= 100; start += 500)
        harms.push(...(await judge(database, kind, location, ids.slice(start, start + 500))));
    }
    return harms;
  },
};

/** Those that cannot be shown; one that fails the statement is found by halving. */
async function judge(on: Queryable, kind: Kind, location: string, ids: readonly string[]): Promise<Harm[]> {
  let rows: { id: string; text: string }[];
  try {
    rows = await on.run(kind.documents, [location, ids]);
  } catch (error) {
    // Other failures say nothing of a document.
    if (!isState(error, 'data')) throw error;
    const [only] = ids;
    if (only === undefined) return [];
    if (ids.length === 1)
      return [{ location, what: `${kind.of} ${only}`, harm: `cannot be shown: ${reasonOf(error)}` }];
    const middle = Math.ceil(ids.length / 2);
    const halves = [ids.slice(0, middle), ids.slice(middle)];
    return [
      ...(await judge(on, kind, location, halves[0] ?? [])),
      ...(await judge(on, kind, location, halves[1] ?? [])),
    ];
  }
  return rows.flatMap(({ id, text }) => {
    const fault = faultOf(kind.schema, id, text);
    return fault === undefined ? [] : [{ location, what: `${kind.of} ${id}`, harm: fault }];
  });
}

function faultOf(schema: z.ZodType, id: string, text: string): string | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    return `is no JSON: ${reasonOf(error)}`;
  }
  const result = schema.safeParse(document);
  if (!result.success)
    return `is not as documented: ${result.error.issues[0]?.path.join('.')} ${result.error.issues[0]?.message}`;
  return (document as { id?: unknown }).id === id ? undefined : 'shows another id';
}

function newestIds(table: string, order: string) {
  return statement<{ id: string }>(
    `doctor_newest_${table}`,
    `select id from ${table} where location_id = $1 order by ${order} limit $2`,
  );
}

function documents(table: string, text: string) {
  return statement<{ id: string; text: string }>(`doctor_documents_${table}`, text);
}
