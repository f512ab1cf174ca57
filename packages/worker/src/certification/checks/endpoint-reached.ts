import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import { answerOf, findEndpoint, send } from '../events.ts';

/** A server answers at the address of the endpoint, with any status. */
export const endpointReached: Check = {
  title: 'The webhook endpoint can be reached',
  needs: ['receives_webhooks'],
  leansOn: [],
  read: '/docs/guides/webhooks',
  *play(run) {
    const { url } = yield* findEndpoint();
    const sent = yield* send(run, {}, ` to ${url}`);
    if (sent.answer.responseCode === undefined)
      throw new Unmet(
        `No answer from ${url}: ${answerOf(sent)}. Start your integration, or change the address of its endpoint.`,
      );
  },
};
