import { isGood } from '../calls.ts';
import type { Check } from '../check.ts';
import { Unmet } from '../endings.ts';
import type { Seen } from '../log.ts';
import type { Call } from '../statements.ts';
import { take, waitFor } from '../steps.ts';

/** Seconds that an integration, or a person at it, has to begin a sync. */
export const toSyncSeconds = 90;
const toReadSeconds = 45;

/** Where an item may fail alone. */
const syncs = ['stock.sync', 'syncJobs.startProducts'];

/** The calls that read the product of a failed item, or send it again. */
const looksOrMends =
  /^(stock\.(list|get|sync|adjust)|products\.(list|get|getByExternalId|create|update)|catalog\.(get|sync)|syncJobs\.startProducts)$/;

/** An item of a sync fails, and the integration reads which. */
export const failedItemsRead: Check = {
  title: 'An item of a sync that failed is read',
  needs: ['brings_catalog'],
  leansOn: [],
  read: '/docs/guides/first-sync',
  *play(run) {
    yield* take({ name: 'play_faults', faults: ['item_fails'], operations: syncs });
    const sync = yield* waitFor({
      action: 'sync_items',
      text: 'Send your stock (POST /v2/stock/sync) or products (POST /v2/sync/products) now: one item will fail.',
      seconds: toSyncSeconds,
      look: ({ calls }) => calls.find((call) => call.fault !== null && call.status !== null),
    });
    if (sync === undefined) throw new Unmet(`No sync came within ${toSyncSeconds} s.`);
    run.saw(sync);
    if (!isGood(sync))
      throw new Unmet(
        `The sync was refused with ${sync.status}: see the answer to request ${sync.requestId}.`,
      );
    run.did('let the first item of it fail');
    const [jobId = ''] = sync.operation === 'syncJobs.startProducts' ? sync.answered : [];
    const isJob = jobId !== '';
    const read = yield* waitFor({
      action: 'none',
      text: isJob
        ? 'Your program reads the job (GET /v2/sync/jobs/{id}) until it has ended, and which item failed.'
        : 'Your program reads in the answer which item failed, and looks at its product or sends it again.',
      seconds: toReadSeconds,
      since: sync.number,
      ...(isJob && { jobId }),
      look: (seen) =>
        isJob
          ? readOfJob(seen, jobId)
          : seen.calls.find((call) => isGood(call) && looksOrMends.test(call.operation)),
    });
    if (read === undefined)
      throw new Unmet(
        isJob
          ? `The job has a failed item, and was not read after its end within ${toReadSeconds} s.`
          : `An item of the sync failed, and its product was neither looked at nor sent again within ${toReadSeconds} s.`,
      );
    run.saw(read);
  },
};

const readOfJob = ({ calls, jobEndedMs = Number.POSITIVE_INFINITY }: Seen, jobId: string): Call | undefined =>
  calls.find(
    (call) =>
      isGood(call) &&
      call.operation === 'syncJobs.get' &&
      call.answered.includes(jobId) &&
      (call.endedMs ?? 0) >= jobEndedMs,
  );
