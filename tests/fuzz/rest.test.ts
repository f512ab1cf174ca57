import { describe, expect, test } from 'vitest';
import { operations } from '../support/documented.ts';
import { trials } from '../support/trials.ts';
import { campaign, WrongAnswer } from './campaign.ts';
import type { Documented } from './documents.ts';
import { bodyIn, type Ground, openGround } from './existing.ts';
import { useField } from './field.ts';
import { judge } from './judge.ts';
import { type Plan, plans, toWire } from './requests.ts';
import { asCurl } from './send.ts';

const routes = operations.flatMap((operation) => operation.routes);
const runs = Math.ceil(trials(1_300, 14_000) / routes.length);
/** After so many requests they go to a new place, so that there is something to work on. */
const groundLasts = 20;

const field = useField('REST');

// The last test judges the sum of the others.
describe('every request is answered as documented:', { shuffle: false }, () => {
  test.each(routes.map(({ method, path }) => `${method} ${path}`))(
    '%s',
    async (name) => {
      const { api, sender, documented, tally } = field;
      const subject = documented.find(({ route }) => `${route.method} ${route.path}` === name);
      if (subject === undefined) throw new Error(`${name} is in no document`);
      const { operation } = subject;
      let sent = 0;
      let ground: Ground | undefined;
      let example: Record<string, unknown> = {};
      await campaign(name, runs, plans(subject), async (plan) => {
        if (ground === undefined || sent % groundLasts === 0) {
          ground = await openGround(api, operation);
          const body = await bodyIn(ground, operation);
          example = operation.kind === 'query' || subject.route.path.includes('external') ? {} : body;
        }
        sent += 1;
        const request = toWire(subject, plan, ground, example);
        const answer = await sender.send(request);
        tally.count(name, answer);
        try {
          judge(subject, request, answer, isPlain(plan, subject));
        } catch (fault) {
          throw new WrongAnswer(fault, asCurl(api.url, request), `${answer.status} ${answer.text}`);
        }
      });
    },
    600_000,
  );

  test('and enough of it did something', () => {
    const { tally } = field;
    const all = tally.answered(200, 499);
    expect(all).toBeGreaterThanOrEqual(runs * routes.length);
    expect(tally.answered(200, 299) / all).toBeGreaterThan(0.3);
  });
});

// Whether it went to the operation's own path, so that its own documentation holds.
function isPlain({ method, oddPath }: Plan, { route }: Documented): boolean {
  return method === route.method && oddPath === '';
}
