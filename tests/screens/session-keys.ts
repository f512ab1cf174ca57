import { comandaError } from '@comanda/client';
import { expect } from 'vitest';
import type { TestApi } from '../support/api.ts';
import type { ActionPage } from './actions.ts';

/** The key of the session of a page. */
export const keyOf = (page: Pick<ActionPage, 'evaluate'>) =>
  page.evaluate<string>(`JSON.parse(sessionStorage.getItem('comanda.session')).key`);

/** Waits until a key is refused as not valid. */
export const isRevoked = (api: TestApi, key: string) =>
  expect
    .poll(() =>
      api
        .client(key)
        .limits.get.query()
        .then(() => 'in use', comandaError),
    )
    .toMatchObject({ reason: 'key_not_valid' });

/** Gives the session of a page these permissions, and waits until the API applies them. */
export async function setPermissions(
  api: TestApi,
  page: Pick<ActionPage, 'evaluate'>,
  permissions: string[],
): Promise<void> {
  const key = await keyOf(page);
  await api.sql`update api_keys set permissions = ${permissions} where starts_with(${key}, prefix)`;
  await expect.poll(async () => (await api.client(key).limits.get.query()).permissions).toEqual(permissions);
}

/** Takes a permission from the session of a page, and waits until the API applies it. */
export async function takePermission(
  api: TestApi,
  page: Pick<ActionPage, 'evaluate'>,
  permission: string,
): Promise<void> {
  const key = await keyOf(page);
  await api.sql`update api_keys set permissions = array_remove(permissions, ${permission})
    where starts_with(${key}, prefix)`;
  await expect
    .poll(async () => (await api.client(key).limits.get.query()).effective_permissions)
    .not.toContain(permission);
}
