import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import { changeCatalog } from '../events.ts';
import type { Call } from '../statements.ts';

/** Whether a call reads what the catalog is made of. */
export const isPull = ({ operation }: Call): boolean =>
  /^(catalog\.get|products\.(list|get|getByExternalId)|categories\.list|menus\.active)$/.test(operation);

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
  async play(run) {
    if (run.does.receives_webhooks) await run.endpoint('catalog.updated');
    const since = await run.newest();
    const { about: productId } = await changeCatalog(run);
    const pull = await run.waitFor({
      action: 'none',
      text: 'Your program pulls the catalog.',
      seconds: toPullSeconds,
      since,
      look: (calls) => calls.find((call) => shows(call, productId)),
    });
    if (pull === undefined)
      throw new Unmet(`The price of a product changed, and nothing read it within ${toPullSeconds} s.`);
    await run.saw(pull);
    if (!run.does.receives_webhooks) return;
    await run.settle();
    const before = await run.newest();
    const text = 'Nothing: without a change there is nothing to pull.';
    const polls = (await run.listen(quietSeconds, text, before)).filter(isPull);
    const [poll] = polls;
    if (poll === undefined) return;
    await run.saw(poll);
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
