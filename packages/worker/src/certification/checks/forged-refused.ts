import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import { answerOf, causeEvent, send, underNewId } from '../events.ts';
import { handled } from '../orders.ts';
import { isEffect } from '../run.ts';

/** For so long nothing may follow. */
const quietSeconds = 5;

const lies = [
  { what: 'signed with another secret', sending: { forged: true } },
  { what: 'signed ten minutes ago', sending: { agedSeconds: 600 } },
] as const;

/** A forged or stale delivery is refused, and has no effect; a correctly signed one is accepted. */
export const forgedRefused: Check = {
  title: 'A rightly signed event is accepted; a wrongly signed and a stale one are refused',
  needs: ['receives_webhooks'],
  leansOn: ['endpoint_reached'],
  read: '/docs/guides/verify-a-webhook',
  async play(run) {
    const endpoint = await run.endpoint();
    const event = await causeEvent(run, endpoint);
    await handled(run, event);
    for (const { what, sending } of lies) {
      await run.settle();
      const lie = underNewId(event);
      // Before it is sent: a call may come at once.
      const before = await run.newest();
      const answer = await send(run, endpoint, lie, sending);
      run.did(`sent ${lie.type} ${lie.id}, ${what}`);
      await run.saw(`the endpoint answered ${lie.type} ${lie.id} with ${answerOf(answer)}`);
      const { responseCode = 0 } = answer;
      if (responseCode < 400 || responseCode > 499)
        throw new Unmet(`An event ${what} was answered with ${answerOf(answer)}: answer 400.`);
      await run.staysQuiet(
        quietSeconds,
        `Nothing: an event that is ${what} must lead to no call.`,
        before,
        isEffect,
        `After an event ${what} a call came within ${quietSeconds} s.`,
      );
    }
    await run.settle();
    const right = underNewId(event);
    const answer = await send(run, endpoint, right);
    run.did(`sent ${right.type} ${right.id}, rightly signed`);
    await run.saw(`the endpoint answered ${right.type} ${right.id} with ${answerOf(answer)}`);
    if (!answer.ok)
      throw new Unmet(`An event that is rightly signed was answered with ${answerOf(answer)}: answer 2xx.`);
  },
};
