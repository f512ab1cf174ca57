import { issueCode } from '@comanda/api/services';
import type { TestApi } from '../support/api.ts';

/** An expression: whether the page may be left without a question of the browser. */
export const mayBeLeft = `dispatchEvent(new Event('beforeunload', { cancelable: true }))`;

/** A link that signs in to the app of a test's API. */
export async function linkTo(
  { app, url, locationId }: TestApi,
  input: { name?: string; screens?: Parameters<typeof issueCode>[1]['screens'] } = {},
): Promise<string> {
  const { code } = await issueCode(app.database, { location_id: locationId, name: 'ana', ...input });
  return `${url}/app#code=${code}`;
}
