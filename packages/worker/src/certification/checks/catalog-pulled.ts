import { type Check, Unmet } from '../check.ts';
import { changeCatalog } from '../events.ts';
import type { Call } from '../statements.ts';

/** Whether a call reads what the catalog is made of. */
export const isPull = ({ operation }: Call): boolean =>
  /^(catalog\.get|products\.(list|get|getByExternalId)|categories\.list|menus\.active)$/.test(operation);

/** For so long a program may think before it pulls: webhooks come at once, the feed is asked every few seconds. */
export const toPullSeconds = 30;

/** A price changes, and the catalog is pulled. */
export const catalogPulled: Check = {
  title: 'The catalog is pulled after catalog.updated',
  needs: ['reads_catalog'],
  leansOn: [],
  read: '/docs/guides/first-sync',
  async play(run) {
    if (run.does.receives_webhooks) await run.endpoint('catalog.updated');
    const since = await run.newest();
    await changeCatalog(run);
    const pull = await run.waitFor({
      action: 'none',
      text: 'Your program pulls the catalog.',
      seconds: toPullSeconds,
      since,
      look: (calls) => calls.find((call) => isPull(call) && call.status !== null && call.status < 400),
    });
    if (pull === undefined)
      throw new Unmet(`The catalog changed, and nothing read it within ${toPullSeconds} s.`);
    await run.saw(pull);
  },
};
