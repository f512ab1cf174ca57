import { startTestApi, type TestApi } from '../support/api.ts';
import { createTally } from './campaign.ts';
import { type Documented, documentedOperations } from './documents.ts';
import { createSender } from './send.ts';

/** Where a campaign over REST runs. */
export interface Field {
  api: TestApi;
  sender: ReturnType<typeof createSender>;
  documented: Documented[];
  tally: ReturnType<typeof createTally>;
  /** Says what was answered, and lets go of everything. */
  close(): Promise<void>;
}

/** Opens one; `what` names the campaign in its report. */
export async function openField(what: string): Promise<Field> {
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
