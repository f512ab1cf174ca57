import type { Reason } from '../../packages/api/src/reasons.ts';
import type { Answer, Call, TestApi } from '../support/api.ts';
import { type Refusal, refusalIn } from './refusals.ts';

interface Service {
  api: TestApi;
  rest(route: string, call?: Call): Promise<Refusal>;
}

/** The contract's bound of endpoints of a location. */
const mostEndpoints = 50;

/** A call for each reason of endpoints. */
export function endpointReasons(service: () => Service) {
  const tryEndpoint = () =>
    service().api.rest('POST /v2/webhook-endpoints', {
      body: { url: 'http://127.0.0.1:1/', events: ['order.created'] },
    }) as Promise<Answer<{ data: { id: string } } & Record<string, unknown>>>;

  return {
    async endpoint_disabled() {
      const { id } = (await tryEndpoint()).body.data;
      await service().api.rest(`PATCH /v2/webhook-endpoints/${id}`, { body: { status: 'disabled' } });
      return service().rest(`POST /v2/webhook-endpoints/${id}/test`);
    },
    address_refused: () =>
      service().rest('POST /v2/webhook-endpoints', { body: { url: 'ftp://x', events: ['order.created'] } }),
    async too_many_endpoints() {
      const { api } = service();
      // Other tests leave some.
      const { body } = await api.rest<{ data: { id: string }[] }>('GET /v2/webhook-endpoints?limit=100');
      const remove = (id: string) => api.rest(`DELETE /v2/webhook-endpoints/${id}`);
      for (const { id } of body.data) await remove(id);
      const made: string[] = [];
      try {
        while (made.length < mostEndpoints) {
          const answer = await tryEndpoint();
          if (answer.status !== 201) throw new Error(`refused after ${made.length}: ${answer.text}`);
          made.push(answer.body.data.id);
        }
        return refusalIn(await tryEndpoint());
      } finally {
        for (const id of made) await remove(id);
      }
    },
  } satisfies Partial<Record<Reason, () => Promise<Refusal>>>;
}
