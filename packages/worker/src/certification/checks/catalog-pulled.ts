import { isPull } from '../calls.ts';
import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import { cause, findEndpoint } from '../events.ts';
import type { Call } from '../statements.ts';
import { listen, take, waitFor } from '../steps.ts';

/** For so long a program may think before it pulls: webhooks come at once, the feed is asked every few seconds. */
export const toPullSeconds = 30;
/** For so long a program that receives webhooks is watched for pulls without a change. */
const quietSeconds = 5;

/** A price changes, and the catalog is pulled. */
export const catalogPulled: Check = {
  title: 'The catalog is pulled after catalog.updated',
  needs: ['reads_catalog'],
  leansOn: ['endpoint_reached'],
  read: '/docs/guides/first-sync',
  *play(run) {
    if (run.does.receives_webhooks) yield* findEndpoint('catalog.updated');
    const { first, newest } = yield* cause(run, ['catalog.updated']);
    const pull = yield* waitFor({
      action: 'none',
      text: 'Your program pulls the catalog.',
      seconds: toPullSeconds,
      since: newest,
      look: ({ calls }) => calls.find((call) => shows(call, first.about)),
    });
    if (pull === undefined)
      throw new Unmet(`The price of a product changed, and nothing read it within ${toPullSeconds} s.`);
    run.saw(pull);
    if (!run.does.receives_webhooks) return;
    yield* take({ name: 'settle' });
    const calls = yield* listen(quietSeconds, 'Nothing: without a change there is nothing to pull.');
    const poll = calls.find(isPull);
    if (poll === undefined) return;
    run.saw(poll);
    throw new Unmet(
      `The catalog is read every few seconds without a change as well, so nothing shows that catalog.updated led to it: pull after the event.`,
    );
  },
};

/** Whether the answer holds the price of the product. */
const shows = ({ operation, status, answered }: Call, productId: string): boolean =>
  status === 200 &&
  (/^(catalog\.get|menus\.active)$/.test(operation) ||
    (operation.startsWith('products.') && answered.includes(productId)));
