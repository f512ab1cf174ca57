import type { Grant } from '@comanda/api/services';
import type { ComandaClient } from '@comanda/client';
import type { Database } from '@comanda/db';
import * as factories from './factories.ts';
import { prismaOf } from './prisma.ts';
import { type Answer, type Call, callRest, typedClient } from './rest.ts';
import { type Sql, sqlOf } from './sql.ts';
import { use } from './use.ts';

type Row<Factory extends (database: Database, row: never) => unknown> = Omit<
  Parameters<Factory>[1],
  'locationId'
> & { locationId?: string };

/** The factories, bound to a database; a row is of the place unless it names another location. */
export interface Make {
  location(row?: Parameters<typeof factories.createLocation>[1]): Promise<string>;
  key(row?: Row<typeof factories.createKey>): Promise<factories.TestKey>;
  paymentMethod(row?: Row<typeof factories.createPaymentMethod>): Promise<string>;
  category(row?: Row<typeof factories.createCategory>): Promise<string>;
  product(row?: Row<typeof factories.createProduct>): Promise<string>;
  subselection(
    row: Row<typeof factories.createSubselection>,
  ): ReturnType<typeof factories.createSubselection>;
}

/** A location of a server, a key there, and what tests do with them. */
export interface Place {
  url: string;
  app: { database: Database };
  locationId: string;
  key: factories.TestKey;
  /** The text of the key. */
  token: string;
  prisma: ReturnType<typeof prismaOf>;
  pool: Database['pool'];
  make: Make;
  /** Calls REST with the key; `route` is `GET /v2/orders?limit=1`. */
  rest<Body = Record<string, unknown>>(route: string, call?: Call): Promise<Answer<Body>>;
  /** The typed client, with the key or another. */
  client(key?: string): ComandaClient;
  /** The typed client with a new key of the place, which has these permissions alone. */
  clientThatMay(...permissions: Grant[]): Promise<ComandaClient>;
  /** The rows of a statement that the service's own role runs. */
  sql: Sql;
}

/** The place of a key that is there already. */
export function placeOf(
  server: { url: string; app: { database: Database } },
  locationId: string,
  key: factories.TestKey,
): Place {
  const { database } = server.app;
  const { pool } = database;
  const make: Make = {
    location: (row) => factories.createLocation(database, row),
    key: (row) => factories.createKey(database, { locationId, ...row }),
    paymentMethod: (row) => factories.createPaymentMethod(database, { locationId, ...row }),
    category: (row) => factories.createCategory(database, { locationId, ...row }),
    product: (row) => factories.createProduct(database, { locationId, ...row }),
    subselection: (row) => factories.createSubselection(database, { locationId, ...row }),
  };
  const client = (text = key.key) => typedClient(server.url, text);
  return {
    url: server.url,
    app: server.app,
    locationId,
    key,
    token: key.key,
    pool,
    make,
    client,
    prisma: prismaOf(database),
    rest: (route, call = {}) => callRest(server.url, route, { key: key.key, ...call }),
    clientThatMay: async (...permissions) => client((await make.key({ permissions })).key),
    sql: sqlOf(pool),
  };
}

/** How a new place differs from the plain one: its location, and its key. */
export interface PlaceRows {
  location?: Parameters<Make['location']>[0];
  key?: Parameters<Make['key']>[0];
}

/** Makes a location and a key there that may do everything, unless `rows` says otherwise. */
export async function openPlace(
  server: { url: string; app: { database: Database } },
  rows: PlaceRows = {},
): Promise<Place> {
  const locationId = await factories.createLocation(server.app.database, rows.location);
  return placeOf(
    server,
    locationId,
    await factories.createKey(server.app.database, { locationId, ...rows.key }),
  );
}

/** A new one for each test. */
export const useNewPlace = (server: Parameters<typeof openPlace>[0], rows: PlaceRows = {}): Place =>
  use(() => openPlace(server, rows), undefined, 'test');
