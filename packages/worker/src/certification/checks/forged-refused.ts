import { isEffect } from '../calls.ts';
import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import { answerOf, cause, causedType, findEndpoint, send, untilHandled } from '../events.ts';
import { staysQuiet, take } from '../steps.ts';

/** For so long nothing may follow. */
const quietSeconds = 5;

const lies = [
  { what: 'signed with another secret', sending: { isForged: true } },
  { what: 'signed ten minutes ago', sending: { agedSeconds: 600 } },
] as const;

/** A forged or stale delivery is refused, and has no effect; a correctly signed one is accepted. */
export const forgedRefused: Check = {
  title: 'A rightly signed event is accepted; a wrongly signed and a stale one are refused',
  needs: ['receives_webhooks'],
  leansOn: ['endpoint_reached'],
  read: '/docs/guides/verify-a-webhook',
  *play(run) {
    const caused = yield* cause(run, [causedType(run, yield* findEndpoint())]);
    yield* untilHandled(run, caused);
    const event = { eventId: caused.first.id, isRenamed: true };
    for (const { what, sending } of lies) {
      yield* take({ name: 'settle' });
      const sent = yield* send(run, { ...event, ...sending }, `, ${what}`);
      const { responseCode = 0 } = sent.answer;
      if (responseCode < 400 || responseCode > 499)
        throw new Unmet(`An event ${what} was answered with ${answerOf(sent)}: answer 400.`);
      const text = `Nothing: an event that is ${what} must lead to no call.`;
      const fault = `After an event ${what} a call came within ${quietSeconds} s.`;
      // A call may come before the answer.
      yield* staysQuiet(run, { seconds: quietSeconds, text, since: sent.newest }, isEffect, fault);
    }
    yield* take({ name: 'settle' });
    const sent = yield* send(run, event, ', rightly signed');
    if (!sent.answer.ok)
      throw new Unmet(`An event that is rightly signed was answered with ${answerOf(sent)}: answer 2xx.`);
  },
};
