import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Operation } from '../../packages/api/src/call/operations.ts';
import { inputIn, useKitchen } from '../contract/kitchen.ts';
import { useApi } from '../support/api.ts';
import { superuserUrl } from '../support/database.ts';
import { operations } from '../support/documented.ts';
import { ownTables } from '../support/tables.ts';
import { waitFor } from '../support/wait.ts';

const api = useApi();
const kitchen = useKitchen(api);

/** The tables of admission, and the notes of a certification: none of them is read for the caller's answer. */
const admission =
  /^(public\.)?(api_keys|locations|certifications)$|limit_counters|idempotency_keys|certification|moved_locations/;

let outside: pg.Client;
/** Outside of the transaction: in one, `pg_stat_activity` keeps the statements that it showed first. */
let watcher: pg.Client;
let tables: string;
beforeAll(async () => {
  const connect = async () => {
    const client = new pg.Client({ connectionString: superuserUrl(api.databaseUrl) });
    await client.connect();
    return client;
  };
  outside = await connect();
  watcher = await connect();
  const own = await ownTables(outside, 'location_id');
  tables = own.flatMap(({ name, sql }) => (admission.test(name) ? [] : [sql])).join(', ');
});
afterAll(() => Promise.all([outside.end(), watcher.end()]));

/** Statements of the API that wait for a table: a caller that reads waits for nothing else. Uses of keys and calls of a sandbox are noted apart. */
async function waiting(): Promise<string[]> {
  const { rows } = await watcher.query<{ query: string }>(
    `select left(query, 200) as query from pg_stat_activity where datname = current_database()
     and application_name like 'comanda-api%' and wait_event_type = 'Lock' and query not like all (array['%last_used_at%', '%certifications%'])`,
  );
  return rows.map(({ query }) => query);
}

/** Shorter than the time that the service lets a statement wait for a lock. */
const quickMs = 4_000;

function send({ name, kind }: Operation, input: unknown) {
  const isQuery = kind === 'query';
  const target = `/trpc/${name}${isQuery ? `?input=${encodeURIComponent(JSON.stringify(input))}` : ''}`;
  const outgoing = request(api.url + target, {
    method: isQuery ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${kitchen.key}`, 'content-type': 'application/json' },
  });
  let status: number | undefined;
  outgoing.on('error', () => {});
  outgoing.on('response', (incoming) => {
    status = incoming.statusCode;
    incoming.resume();
  });
  outgoing.end(isQuery ? undefined : JSON.stringify(input));
  return { leave: () => outgoing.destroy(), status: () => status };
}

/** Whether several callers share the read, which goes on for the others. `catalog.get` shares only the comparison of tags. */
const isShared = (operation: Operation): boolean =>
  operation.name === 'orders.quote' || (operation.joins && operation.name !== 'catalog.get');

/** Operations that only read, for their caller alone: queries and dry runs. */
const reads = operations.filter(
  (operation) => (operation.kind === 'query' || 'dry_run' in operation.input.shape) && !isShared(operation),
);

test.each(reads.map((operation) => [operation.name, operation] as const))(
  'the database goes on reading for callers that have left: %s',
  async (_name, operation) => {
    const input = await inputIn(kitchen, operation);
    const asked = 'dry_run' in operation.input.shape ? { ...input, dry_run: true, seen: undefined } : input;
    await outside.query('begin');
    try {
      await outside.query(`lock table ${tables} in access exclusive mode`);
      // More than one location may have under way: the others wait for a slot.
      const callers = Array.from({ length: 6 }, () => send(operation, asked));
      await waitFor(
        'reads',
        async () => (await waiting()).length > 0 || callers.every(({ status }) => status() !== undefined),
      );
      for (const { leave } of callers) leave();
      const end = performance.now() + quickMs;
      let left = await waiting();
      for (; left.length > 0 && performance.now() < end; left = await waiting()) await sleep(25);
      expect(left).toEqual([]);
    } finally {
      await outside.query('rollback');
    }
  },
);
