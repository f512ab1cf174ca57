import { useComanda } from '../frame/comanda.tsx';
import { EmptyState } from '../frame/empty.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { Time } from '../frame/time.tsx';
import { Deed } from './deed.tsx';
import { Listing } from './listing.tsx';
import { usePages } from './pages.ts';
import { Status } from './status.tsx';
import { deskTexts } from './texts.ts';
import { useWhen } from './when.ts';

/** The sync jobs, newest first; one that failed can be tried again. */
export function Jobs() {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const when = useWhen();
  const mayRetry = useGranted().may?.('jobs:retry');
  const rows = usePages(
    ['jobs'],
    (offset, signal) => comanda.syncJobs.list.query({ limit: 50, offset }, { signal }),
    {
      refetchEveryMs: (jobs) =>
        jobs.some(({ status }) => status === 'queued' || status === 'processing') ? 1_000 : false,
    },
  );
  return (
    <Listing
      caption={texts.parts.jobs}
      isTitled
      rows={rows}
      empty={<EmptyState title={texts.none}>{texts.noJobs}</EmptyState>}
      keyOf={({ job_id }) => job_id}
      columns={[
        { title: texts.madeAt, cell: ({ created_at }) => <Time at={created_at} /> },
        { title: texts.mode, cell: ({ mode }) => mode },
        {
          title: texts.status,
          cell: ({ status }) => <Status of={status} />,
        },
        {
          title: texts.items,
          isNumber: true,
          cell: (job) => texts.done(job.success_items, job.failed_items, job.total_items),
        },
        {
          title: texts.deed,
          cell: ({ job_id: id, status, created_at }) =>
            mayRetry &&
            status === 'failed' && (
              <Deed
                label={texts.retry}
                of={when(created_at)}
                act={() => comanda.syncJobs.retry.mutate({ id })}
              />
            ),
        },
      ]}
    />
  );
}
