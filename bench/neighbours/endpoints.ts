import type { Other } from '../company.ts';
import { idOf, sendTo } from '../operations/stage.ts';
import type { Scene } from './neighbour.ts';

/** Subscribes a URL at a location; gives the endpoint's id. */
export async function subscribe(
  { apiUrl }: Pick<Scene, 'apiUrl'>,
  { key }: Other,
  url: string,
  events: readonly string[],
): Promise<string> {
  return idOf(
    await sendTo(apiUrl, { method: 'POST', path: '/v2/webhook-endpoints', body: { url, events } }, key),
  );
}

export async function unsubscribe(
  { apiUrl }: Pick<Scene, 'apiUrl'>,
  { key }: Other,
  id: string,
): Promise<void> {
  await sendTo(apiUrl, { method: 'DELETE', path: `/v2/webhook-endpoints/${id}` }, key);
}
