import { type Check, Unmet } from '../check.ts';
import { answerOf, changeCatalog, send, underNewId } from '../events.ts';
import { isEffect } from '../run.ts';

/** For so long nothing may follow. */
const quietSeconds = 5;

const lies = [
  { what: 'signed with another secret', sending: { forged: true } },
  { what: 'signed ten minutes ago', sending: { agedSeconds: 600 } },
] as const;

/** What is wrongly signed, or stale, is refused, and nothing follows. */
export const forgedRefused: Check = {
  title: 'A wrongly signed and a stale event are refused',
  needs: ['receives_webhooks'],
  leansOn: [],
  read: '/docs/guides/verify-a-webhook',
  async play(run) {
    const endpoint = await run.endpoint();
    const event = await changeCatalog(run);
    for (const { what, sending } of lies) {
      await run.settle();
      const lie = underNewId(event);
      // Before it is sent: a call may come at once.
      const before = await run.newest();
      const answer = await send(run, endpoint, lie, sending);
      run.did(`sent ${lie.type} ${lie.id}, ${what}`);
      await run.saw(`the endpoint answered ${lie.type} ${lie.id} with ${answerOf(answer)}`);
      const calls = await run.listen(
        quietSeconds,
        `Nothing: an event that is ${what} must lead to no call.`,
        before,
      );
      const { responseCode = 0 } = answer;
      if (responseCode < 400 || responseCode > 499)
        throw new Unmet(`An event ${what} was answered with ${answerOf(answer)}: answer 400.`);
      const effect = calls.find(isEffect);
      if (effect === undefined) continue;
      await run.saw(effect);
      throw new Unmet(`After an event ${what} a call came within ${quietSeconds} s.`);
    }
  },
};
