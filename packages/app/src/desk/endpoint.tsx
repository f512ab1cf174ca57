import { useQuery } from '@tanstack/react-query';
import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { Unread } from '../frame/skeleton.tsx';
import { endpointTexts } from './endpoint-texts.ts';
import { Filters, useFilter } from './filter.tsx';
import { Listing } from './listing.tsx';
import { usePages } from './pages.ts';
import { deskTexts } from './texts.ts';
import { useWhen } from './when.ts';

const statuses = ['delivered', 'failed', 'dead'] as const;

/** An endpoint: what it receives, and every attempt with what it answered. */
export function EndpointView({ id }: { id: string }) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(endpointTexts);
  const say = useRefusal();
  const { data, error } = useQuery({
    queryKey: ['endpoint', id],
    queryFn: ({ signal }) => comanda.webhookEndpoints.get.query({ id }, { signal }),
  });
  if (data === undefined) return <Unread {...{ error, say }} />;
  return (
    <article className="order" aria-label={data.url}>
      <h2>{data.url}</h2>
      <p>{texts.statuses[data.status]}</p>
      <p className="quiet">{data.events.join(', ')}</p>
      <Attempts id={id} />
      <p>
        <Link to="/app/desk/endpoints">{own.allEndpoints}</Link>
      </p>
    </article>
  );
}

function Attempts({ id }: { id: string }) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(endpointTexts);
  const when = useWhen();
  const [filter, setFilter] = useFilter(`attempts ${id}`);
  const status = statuses.find((each) => each === filter.status);
  const rows = usePages(['attempts', id, status], (offset, signal) =>
    comanda.webhookEndpoints.deliveries.query(
      { id, limit: 50, offset, ...(status !== undefined && { status }) },
      { signal },
    ),
  );
  return (
    <>
      <Filters
        submit={own.show}
        filter={filter}
        onChange={setFilter}
        fields={[
          {
            name: 'status',
            label: texts.status,
            kind: [
              { value: '', label: own.all },
              ...statuses.map((value) => ({ value, label: texts.statuses[value] })),
            ],
          },
        ]}
      />
      <Listing
        caption={own.attempts}
        rows={rows}
        keyOf={(attempt) => attempt.id}
        columns={[
          { title: texts.madeAt, cell: ({ attempted_at }) => when(attempted_at) },
          { title: texts.event, cell: ({ event_type }) => event_type },
          {
            title: texts.status,
            cell: ({ status: came }) => <span className={came}>{texts.statuses[came]}</span>,
          },
          { title: own.reason, cell: (attempt) => reasonOf(attempt) },
          { title: own.answer, cell: ({ response_body }) => response_body },
          {
            title: texts.next,
            cell: ({ next_attempt_at }) => next_attempt_at && when(next_attempt_at),
          },
        ]}
      />
    </>
  );
}

const reasonOf = ({
  response_code,
  error,
}: {
  response_code?: number | undefined;
  error?: string | undefined;
}): string => [response_code, error].filter((part) => part !== undefined).join(' · ');

/** Why an endpoint fails: what came of its last attempt. Read for endpoints that fail alone. */
export function FailureReason({ id }: { id: string }) {
  const { comanda } = useComanda();
  const { data } = useQuery({
    queryKey: ['attempts', id, 'last'],
    queryFn: ({ signal }) => comanda.webhookEndpoints.deliveries.query({ id, limit: 1 }, { signal }),
  });
  const [last] = data?.data ?? [];
  return last === undefined ? null : <span className="quiet"> {reasonOf(last)}</span>;
}
