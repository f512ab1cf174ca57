import type { Place } from './place.ts';

/** Makes an endpoint of v2, with the key of the place; its id. Nothing listens at its address unless one is given. */
export async function makeEndpoint(
  { rest }: Pick<Place, 'rest'>,
  events: readonly string[] = ['order.created'],
  url = 'http://127.0.0.1:9/hook',
): Promise<string> {
  const { body } = await rest<{ data: { id: string } }>('POST /v2/webhook-endpoints', {
    body: { url, events },
  });
  return body.data.id;
}
