import type { Reason } from '../../packages/api/src/reasons.ts';
import type { Call, TestApi } from '../support/api.ts';
import type { Refusal } from './refusals.ts';

/** The context of the calls. */
interface Means {
  api: TestApi;
  rest(route: string, call: Call): Promise<Refusal>;
}

/** A call for each reason of a certification, in a sandbox of its own. */
export function certificationReasons(
  means: () => Means,
): Record<Extract<Reason, 'certification_running' | 'certification_ended'>, () => Promise<Refusal>> {
  const start = 'POST /v2/certifications';
  const started = async () => {
    const { api } = means();
    const { token: key } = await api.place({ location: { sandbox: true } });
    const made = await api.rest<{ data: { id: string } }>(start, { key, body: {} });
    return { key, id: made.body.data.id };
  };
  return {
    async certification_running() {
      const { key } = await started();
      return means().rest(start, { key, body: {} });
    },
    async certification_ended() {
      const { key, id } = await started();
      const abort = () => means().rest(`${start}/${id}/abort`, { key });
      await abort();
      return abort();
    },
  };
}
