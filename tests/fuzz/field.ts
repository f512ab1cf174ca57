import { startTestApi } from '../support/api.ts';
import { useClosed } from '../support/use.ts';
import { createTally } from './campaign.ts';
import { documentedOperations } from './documents.ts';
import { createSender } from './send.ts';

/** Where a campaign over REST runs, for the tests of a file; `what` names it in its report. */
export const useField = (what: string) => useClosed(() => openField(what));

async function openField(what: string) {
  const api = await startTestApi();
  const sender = createSender(api.url);
  const tally = createTally();
  return {
    api,
    sender,
    documented: await documentedOperations(),
    tally,
    async close() {
      tally.report(what);
      sender.close();
      await api.close();
    },
  };
}
