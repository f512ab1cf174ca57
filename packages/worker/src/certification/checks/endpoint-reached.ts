import { newId } from '@comanda/db';
import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import { answerOf, send } from '../events.ts';
import * as sql from '../statements.ts';

/** A server answers at the address of the endpoint, with any status. */
export const endpointReached: Check = {
  title: 'The webhook endpoint can be reached',
  needs: ['receives_webhooks'],
  leansOn: [],
  read: '/docs/guides/webhooks',
  async play(run) {
    const endpoint = await run.endpoint();
    const { locationId, tools } = run;
    const [now] = await tools.database.run(sql.readNow, [locationId]);
    const id = newId();
    const bodyOf = (api_version: string) =>
      JSON.stringify({
        ...{ id, type: 'webhook.test', api_version, created_at: now?.at, location_id: locationId },
        data: {
          endpoint_id: endpoint.id,
          message: 'A certification looks whether the endpoint can be reached.',
        },
      });
    const event = { id, type: 'webhook.test', number: 0, body: bodyOf('v2'), bodyInV1: bodyOf('v1') };
    const answer = await send(run, endpoint, event);
    run.did(`sent webhook.test ${id} to ${endpoint.url}`);
    await run.saw(`the endpoint answered webhook.test ${id} with ${answerOf(answer)}`);
    if (answer.responseCode === undefined)
      throw new Unmet(
        `No answer from ${endpoint.url}: ${answerOf(answer)}. Start your integration, or change the address of its endpoint.`,
      );
  },
};
