import { expect, it } from 'vitest';
import { useApi } from '../support/api.ts';
import { type CommandOutcome, callComanda } from '../support/command.ts';
import { createKey } from '../support/factories.ts';
import { roleUrl } from '../support/roles.ts';

const api = useApi();

const comanda = (...argv: string[]): Promise<CommandOutcome> =>
  callComanda(
    { DATABASE_URL: api.databaseUrl, DATABASE_OWNER_URL: roleUrl(api.databaseUrl, 'owner') },
    ...argv,
  );

it('a key from before event types had permissions is named by the list and by doctor, until it is narrowed', async () => {
  const { locationId, app } = api;
  const permissions = ['orders:read' as const, 'events:read' as const];
  const { id } = await createKey(app.database, { locationId, permissions, allEventTypes: true });
  const listed = async () => {
    const { stdout } = await comanda('keys', 'list', '--location', locationId, '--json');
    const keys = JSON.parse(stdout) as { id: string; event_types: string }[];
    return keys.find((key) => key.id === id)?.event_types;
  };
  expect(await listed()).toBe('all');
  const named = `1 key from before sees every type: test (${id})`;
  expect((await comanda('doctor')).stdout).toContain(named);
  const narrow = ['keys', 'update', id, '--event-types', 'by_permission'];
  expect((await comanda(...narrow)).stderr).toContain('--as');
  expect(await listed()).toBe('all');
  expect(await comanda(...narrow, '--as', 'ana')).toMatchObject({ code: 0 });
  expect(await listed()).toBe('by_permission');
  expect((await comanda('doctor')).stdout).not.toContain('every type');
  expect((await comanda('keys', 'update', id, '--event-types', 'all', '--as', 'ana')).code).not.toBe(0);
});
