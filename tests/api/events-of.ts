import type { FeedEvent } from '../../packages/api/src/resources/events/schema.ts';
import type { useSteppedApi } from '../support/published.ts';

/** The events of the changes that `change` makes. */
export async function eventsOf(
  api: ReturnType<typeof useSteppedApi>,
  change: () => Promise<unknown>,
): Promise<FeedEvent[]> {
  const { events } = api.client();
  await api.published();
  const { next } = (await events.list.query({ after: 'latest' })).pagination;
  await change();
  await api.published();
  return (await events.list.query({ after: next ?? '' })).data;
}
