import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import { answerOf, changeCatalog, placeOrder, send, whileDown } from '../events.ts';
import { handled, isMove } from '../orders.ts';
import type { Run } from '../run.ts';
import type { PublishedEvent, TestedEndpoint } from '../statements.ts';
import * as sql from '../statements.ts';
import { isPull, toPullSeconds } from './catalog-pulled.ts';

const quietSeconds = 5;

/** An order comes twice; of two versions of the catalog the newer comes first, twice, then the older. Each has one effect. */
export const onceEach: Check = {
  title: 'An event delivered twice, and out of order, leads to one effect',
  needs: ['receives_webhooks'],
  needsOneOf: ['reads_catalog', 'takes_orders'],
  leansOn: ['endpoint_reached', 'catalog_pulled', 'statuses_sent', 'forged_refused'],
  read: '/docs/guides/webhooks',
  async play(run) {
    if (run.does.takes_orders) await sendOrderTwice(run);
    if (run.does.reads_catalog) await sendCatalogTwice(run);
  },
};

async function sendOrderTwice(run: Run): Promise<void> {
  const endpoint = await run.endpoint('order.created');
  const event = await placeOrder(run);
  await handled(run, event);
  await run.settle();
  const before = await run.newest();
  const what = 'the same event a second time';
  await deliver(run, endpoint, event, what);
  const fault = `After ${what} the order was moved again.`;
  await run.staysQuiet(quietSeconds, `Nothing: ${what} brings no news.`, before, isMove, fault);
}

async function sendCatalogTwice(run: Run): Promise<void> {
  const endpoint = await run.endpoint('catalog.updated');
  await run.settle();
  const [older, newer] = await whileDown(run, endpoint, async () => [
    await changeCatalog(run),
    await changeCatalog(run),
  ]);
  const since = await run.newest();
  await deliver(run, endpoint, newer, 'the newer version');
  const pull = await run.waitFor({
    action: 'none',
    text: 'Your program pulls the catalog, once.',
    seconds: toPullSeconds,
    since,
    look: (calls) => calls.find((call) => isPull(call) && call.status !== null),
  });
  if (pull === undefined) throw new Unmet('The event had no effect at all: the catalog was not pulled.');
  await run.saw(pull);
  await run.settle();
  for (const [event, what] of [
    [newer, 'the same event a second time'],
    [older, 'an older version that comes late'],
  ] as const) {
    // Before it is sent: a call may come at once.
    const before = await run.newest();
    await deliver(run, endpoint, event, what);
    const fault = `After ${what} the catalog was pulled again.`;
    await run.staysQuiet(quietSeconds, `Nothing: ${what} brings no news.`, before, isPull, fault);
  }
}

async function deliver(
  run: Run,
  endpoint: TestedEndpoint,
  event: PublishedEvent,
  what: string,
): Promise<void> {
  const answer = await send(run, endpoint, event);
  run.did(`sent ${event.type} ${event.id}: ${what}`);
  await run.saw(`the endpoint answered ${event.type} ${event.id} with ${answerOf(answer)}`);
  const { database } = run.tools;
  const values = [run.locationId, endpoint.id, event.id, event.type, 1];
  await database.run(sql.recordPlayed, [
    ...values,
    answer.ok ? 'delivered' : 'dead',
    answer.responseCode ?? null,
    answer.error ?? null,
  ]);
  if (!answer.ok)
    throw new Unmet(`${what} was answered with ${answerOf(answer)}: answer 2xx, also to what is known.`);
}
