import type { Reason } from '../../packages/api/src/reasons.ts';
import type { Answer, Call, TestApi } from '../support/api.ts';
import { type Told, toldBy } from './told.ts';

interface Service {
  api: TestApi;
  rest(route: string, call?: Call): Promise<Told>;
}

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
      const made: string[] = [];
      try {
        for (;;) {
          const answer = await tryEndpoint();
          if (answer.status !== 201) return toldBy(answer);
          made.push(answer.body.data.id);
        }
      } finally {
        for (const id of made) await api.rest(`DELETE /v2/webhook-endpoints/${id}`);
      }
    },
  } satisfies Partial<Record<Reason, () => Promise<Told>>>;
}
