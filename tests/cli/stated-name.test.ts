import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../extras/operator/src/commands.ts';
import { cellsOf, openRestaurant } from '../locations/cells.ts';
import { encryptionKey, type Place, useFolder, usePlace } from '../locations/moving.ts';
import { callComanda } from '../support/command.ts';
import { makeEndpoint } from '../support/endpoints.ts';
import { createKey, createLocation, createProduct } from '../support/factories.ts';
import { createOrderKitchen, placeOrder } from '../support/orders.ts';
import { roleUrl } from '../support/roles.ts';
import { words } from '../support/words.ts';

const north = usePlace();
const south = usePlace();
const folder = useFolder();

const settings = (place: Place) => ({
  DATABASE_URL: place.api.databaseUrl,
  DATABASE_OWNER_URL: roleUrl(place.api.databaseUrl, 'owner'),
  ENCRYPTION_KEY: encryptionKey,
  DATA_DIR: folder.path,
});

/** A run of a command that writes: its words, in another place or with other settings than north's where given. */
interface Ran {
  words: string[];
  at?: Place;
  more?: Record<string, string>;
  /** Ends the preparations. */
  after?(): Promise<void>;
}

const oldest = () => north.api.locationId;
const newKey = async () => (await createKey(north.api.app.database, { locationId: oldest() })).id;
const newLocation = (name = 'Bar Dos') => createLocation(north.api.app.database, { name });
const disabled = async (place: Place, id: string): Promise<string> => {
  await place.comanda('locations', 'disable', id);
  return id;
};

const endpoint = () => makeEndpoint(north.api);

/** An endpoint with an event that it never got. */
async function missed(): Promise<{ endpointId: string; deliveryId: string }> {
  const endpointId = await endpoint();
  const [row] = await north.sql<{ id: string }>(
    `with e as (
       insert into events (location_id, id, number, type, resource_id, body, created_at)
       select $1, uuid_v7(), coalesce(max(number), 0) + 1, 'order.created', $1, '{}', now() from events where location_id = $1
       returning id
     )
     insert into webhook_deliveries (location_id, endpoint_id, event_id, status, attempts) select $1, $2, id, 'dead', 5 from e returning id`,
    [oldest(), endpointId],
  );
  return { endpointId, deliveryId: row?.id ?? '' };
}

async function failedJob(): Promise<string> {
  const call = {
    headers: { 'idempotency-key': 'a-job' },
    body: { items: [{ external_id: 'mate', name: 'Mate', price: 3 }] },
  };
  const { body } = await north.api.rest<{ data: { job_id: string } }>('POST /v2/sync/products', call);
  const { job_id } = body.data;
  await north.sql(`update sync_jobs set status = 'failed', error = 'stopped' where id = $1`, [job_id]);
  return job_id;
}

async function handEdit(): Promise<string> {
  const id = await createProduct(north.api.app.database, { locationId: oldest() });
  await north.sql(`set application_name = 'psql'`);
  await north.sql('update products set price = 7 where id = $1', [id]);
  await north.sql(`set application_name = 'comanda-outside'`);
  const [row] = await north.sql<{ id: string }>('select id from audit_entries where resource_id = $1', [id]);
  return row?.id ?? '';
}

async function exported(): Promise<string> {
  const id = await disabled(south, await createLocation(south.api.app.database, { name: 'Bar Tres' }));
  const path = join(folder.path, 'export');
  const done = await south.comanda('locations', 'export', id, '--to', path);
  expect(done.code, done.stderr).toBe(0);
  // A location that is in two cells at once is moved to neither.
  expect((await south.comanda('locations', 'delete', id, '--confirm', 'Bar Tres')).code).toBe(0);
  return path;
}

/** How each is called so that it writes an entry. */
const runs: Readonly<Record<string, () => Promise<Ran> | Ran>> = {
  'keys create': () => ({ words: ['--name', 'ERP', '--permissions', 'orders:*'] }),
  'keys update': async () => ({ words: [await newKey(), '--per-minute', '5'] }),
  'keys rotate': async () => ({ words: [await newKey()] }),
  'keys revoke': async () => ({ words: [await newKey()] }),
  'app code': () => ({ words: ['--name', 'eva', '--location', oldest()] }),
  'locations create': () => ({ words: ['--name', 'Bar Uno'] }),
  'locations update': async () => ({ words: [await newLocation(), '--name', 'Bar Dos y Medio'] }),
  'locations disable': async () => ({ words: [await newLocation()] }),
  'locations enable': async () => ({ words: [await disabled(north, await newLocation())] }),
  'locations import': async () => ({ words: [await exported()] }),
  'locations delete': async () => ({
    words: [await disabled(north, await newLocation('Bar Fin')), '--confirm', 'Bar Fin'],
  }),
  'locations move': async () => {
    const { id } = await openRestaurant(north, 'Bar Sur');
    const { options } = cellsOf(folder.path, north, south);
    const worker = await north.startWorker();
    return { words: [id, '--to', 'south', ...options], after: () => worker.stop() };
  },
  erase: async () => ({
    words: ['--order', (await placeOrder(north.api, await createOrderKitchen(north.api))).id],
  }),
  'menus copy': async () => {
    const [from, to] = [await newLocation('Bar Carta'), await newLocation('Bar Copia')];
    await createProduct(north.api.app.database, { locationId: from });
    return { words: ['--from', from, '--to', to] };
  },
  'webhooks rotate': async () => ({ words: [await endpoint(), '--location', oldest()] }),
  'webhooks replay': async () => ({
    words: [(await missed()).endpointId, '--since', '2026-01-01T00:00:00Z', '--location', oldest()],
  }),
  'deliveries retry': async () => ({ words: [(await missed()).deliveryId, '--location', oldest()] }),
  'jobs retry': async () => ({ words: [await failedJob(), '--location', oldest()] }),
  'secrets rotate-key': async () => {
    await endpoint();
    const later = `2030:${randomBytes(32).toString('base64')}`;
    const more = (...ring: string[]) => ({ ENCRYPTION_KEY: ring.join(',') });
    // Back under the key that the other runs have.
    const after = async () => {
      const back = { ...settings(north), ...more(encryptionKey, later) };
      const outcome = await callComanda(back, 'secrets', 'rotate-key', '--as', 'Ana M');
      expect(outcome.code, outcome.stderr).toBe(0);
    };
    return { words: [], more: more(later, encryptionKey), after };
  },
  'audit undo': async () => ({ words: [await handEdit()] }),
  restored: () => ({ words: ['--ahead', '5', '--location', oldest()] }),
  doctor: async () => {
    await placeOrder(north.api, await createOrderKitchen(north.api));
    const reset = `update internal.location_counters set value = 0 where name = 'order' and location_id = $1`;
    await north.sql(reset, [oldest()]);
    return { words: ['--repair', '--location', oldest()] };
  },
};

const audited = Object.entries(commands).flatMap(([name, command]) => (command.audited ? [name] : []));

it('knows a run of every command that writes into the audit, and of no other', () => {
  expect(Object.keys(runs).sort()).toEqual(audited.sort());
});

it.each(audited)('--as is in every entry of comanda %s', async (name) => {
  const ran = await runs[name]?.();
  if (ran === undefined) throw new Error(`no run of ${name}`);
  const { words, at = north, more = {}, after } = ran;
  const [{ began } = { began: '' }] = await north.sql<{ began: string }>('select now()::text as began');
  const argv = [...name.split(' '), ...words, '--as', 'Ana M', '--json'];
  const { code, stdout, stderr } = await callComanda({ ...settings(at), USER: 'root', ...more }, ...argv);
  await after?.();
  // Doctor fails for other findings, too.
  if (name !== 'doctor') expect(code, stdout + stderr).toBe(0);
  // Imported entries are older, and a worker may do a job of another run, in the name of the job's key.
  const read = `select operation, application_name as name from audit_entries where created_at >= $1 and actor_kind <> 'api_key'`;
  const written = [await north.sql(read, [began]), await south.sql(read, [began])].flat();
  expect(written.length, stdout + stderr).toBeGreaterThan(0);
  for (const entry of written)
    expect(entry).toMatchObject({ name: expect.stringMatching(/^(audit undo by )?Ana M$/) });
});

describe('without --as', () => {
  const made = async (environment: Record<string, string>) => {
    const argv = [...words('keys create --name ERP --permissions orders:* --location'), oldest(), '--json'];
    const { code, stdout, stderr } = await callComanda({ ...settings(north), ...environment }, ...argv);
    expect(code, stderr).toBe(0);
    const { id } = JSON.parse(stdout) as { id: string };
    const [entry] = await north.sql<{ name: string | null }>(
      'select application_name as name from audit_entries where resource_id = $1',
      [id],
    );
    return entry?.name;
  };

  it.each([
    ['who came by sudo', { SUDO_USER: 'ana', USER: 'root' }, 'ana'],
    ['the user of the machine', { USER: 'bob' }, 'bob'],
    ['no name that is none', { SUDO_USER: 'a\u001b[31m', USER: 'bob' }, 'bob'],
    ['no name where there is none', {}, null],
  ])('it is %s', async (_, environment, name) => {
    expect(await made(environment)).toBe(name);
  });
});

it('comanda audit --by finds what was done at the command line, as stated', async () => {
  const id = await newKey();
  await callComanda(settings(north), 'keys', 'revoke', id, '--as', 'Zoe');
  const found = await callComanda(settings(north), 'audit', '--by', 'Zoe', '--json');
  expect(JSON.parse(found.stdout)).toEqual([
    expect.objectContaining({ operation: 'keys.revoke', resource_id: id, by: 'Zoe', by_known: false }),
  ]);
});

it('a command that writes nothing into the audit takes no --as', async () => {
  const listed = await callComanda(settings(north), 'keys', 'list', '--as', 'ana');
  expect(listed).toMatchObject({ code: 1, stderr: expect.stringContaining('unknown option') });
});
