import { isMove, isPull } from '../calls.ts';
import type { Check, Run, Script } from '../check.ts';
import { Unmet } from '../endings.ts';
import { answerOf, cause, findEndpoint, send, untilHandled } from '../events.ts';
import type { CausedEvent } from '../log.ts';
import type { Call } from '../statements.ts';
import { staysQuiet, take, waitFor } from '../steps.ts';
import { toPullSeconds } from './catalog-pulled.ts';

const quietSeconds = 5;

/** An order comes twice; of two versions of the catalog the newer comes first, twice, then the older. Each has one effect. */
export const onceEach: Check = {
  title: 'An event delivered twice, and out of order, leads to one effect',
  needs: ['receives_webhooks'],
  needsOneOf: ['reads_catalog', 'takes_orders'],
  leansOn: ['endpoint_reached', 'catalog_pulled', 'statuses_sent', 'forged_refused'],
  read: '/docs/guides/webhooks',
  *play(run) {
    if (run.does.takes_orders) yield* sendOrderTwice(run);
    if (run.does.reads_catalog) yield* sendCatalogTwice(run);
  },
};

const again = 'the same event a second time';

function* sendOrderTwice(run: Run): Script {
  yield* findEndpoint('order.created');
  const placed = yield* cause(run, ['order.created']);
  yield* untilHandled(run, placed);
  yield* take({ name: 'settle' });
  yield* hasNoEffect(run, placed.first, again, isMove, 'the order was moved again');
}

function* sendCatalogTwice(run: Run): Script {
  yield* findEndpoint('catalog.updated');
  yield* take({ name: 'settle' });
  const types = ['catalog.updated', 'catalog.updated'] as const;
  const { first: older, last: newer } = yield* cause(run, types, { isDown: true });
  const since = yield* deliver(run, newer, 'the newer version');
  const pull = yield* waitFor({
    action: 'none',
    text: 'Your program pulls the catalog, once.',
    seconds: toPullSeconds,
    since,
    look: ({ calls }) => calls.find((call) => isPull(call) && call.status !== null),
  });
  if (pull === undefined) throw new Unmet('The event had no effect at all: the catalog was not pulled.');
  run.saw(pull);
  yield* take({ name: 'settle' });
  const effect = 'the catalog was pulled again';
  yield* hasNoEffect(run, newer, again, isPull, effect);
  yield* hasNoEffect(run, older, 'an older version that comes late', isPull, effect);
}

/** Sends an event that is known, or is older than a known one. Throws `Unmet` when an effect follows. */
function* hasNoEffect(
  run: Run,
  event: CausedEvent,
  what: string,
  isEffect: (call: Call) => boolean,
  effect: string,
): Script {
  const since = yield* deliver(run, event, what);
  const wait = { seconds: quietSeconds, text: `Nothing: ${what} brings no news.`, since };
  yield* staysQuiet(run, wait, isEffect, `After ${what} ${effect}.`);
}

/** Sends an event, and returns the number of the newest call before it. Throws `Unmet` when it is refused. */
function* deliver(run: Run, event: CausedEvent, what: string): Script<number> {
  const sent = yield* send(run, { eventId: event.id, isListed: true }, `: ${what}`);
  if (!sent.answer.ok)
    throw new Unmet(`${what} was answered with ${answerOf(sent)}: answer 2xx, also to what is known.`);
  return sent.newest;
}
