import type { ComandaClient } from '@comanda/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { EmptyState } from '../frame/empty.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { tagged } from '../frame/location.ts';
import { useRefusal } from '../frame/refusal.ts';
import { Unread } from '../frame/skeleton.tsx';
import { Time } from '../frame/time.tsx';
import { useRowTitle } from '../frame/title.ts';
import { EndpointDeeds } from './endpoint-deeds.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { EndpointHours } from './endpoint-hours.tsx';
import { endpointTexts } from './endpoint-texts.ts';
import { Filters, useFilter } from './filter.tsx';
import { Listing } from './listing.tsx';
import { usePages } from './pages.ts';
import { Status } from './status.tsx';
import { deskTexts } from './texts.ts';
import { useWhen } from './when.ts';

type Endpoint = Awaited<ReturnType<ComandaClient['webhookEndpoints']['get']['query']>>;

const statuses = ['delivered', 'failed', 'dead'] as const;

/** An endpoint: how it does, what may be done with it, what it receives, and every attempt with what it answered. */
export function EndpointView({ id }: { id: string }) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(endpointTexts);
  const say = useRefusal();
  const may = useGranted().may?.('webhooks:write') === true;
  const { data, error } = useQuery({
    queryKey: ['endpoint', id],
    queryFn: async ({ signal }) => tagged(await comanda.webhookEndpoints.get.query({ id }, { signal })),
  });
  useRowTitle(data?.url);
  if (data === undefined) return <Unread {...{ error, say }} />;
  const { url, status, events, last_delivered_at } = data;
  return (
    <article className="order" aria-label={url}>
      <header>
        <h2>{url}</h2>
        <Status of={status} />
      </header>
      <dl>
        <div>
          <dt>{texts.health}</dt>
          <dd>
            <Health {...data} />
          </dd>
        </div>
        <div>
          <dt>{texts.lastDelivered}</dt>
          <dd>{last_delivered_at === undefined ? texts.never : <Time at={last_delivered_at} />}</dd>
        </div>
      </dl>
      {may && <EndpointDeeds {...{ id, url, status }} />}
      <p className="quiet">{events.join(', ')}</p>
      <details className="more">
        <summary>{own.edit}</summary>
        <EndpointForm endpoint={data} />
      </details>
      <EndpointHours id={id} />
      <Attempts id={id} />
      <p>
        <Link to="/app/desk/endpoints">{own.allEndpoints}</Link>
      </p>
    </article>
  );
}

/** Whether an endpoint does well, else since when it fails and why, and how much was given up. */
export function Health({
  id,
  failing_since,
  dead_count,
}: Pick<Endpoint, 'id' | 'failing_since' | 'dead_count'>) {
  const texts = useTexts(deskTexts);
  const when = useWhen();
  return (
    <>
      <span className={failing_since === undefined ? 'delivered' : 'dead'}>
        {failing_since === undefined ? texts.well : texts.failingSince(when(failing_since))}
        {dead_count > 0 && ` · ${texts.dead(dead_count)}`}
      </span>
      {failing_since !== undefined && <FailureReason id={id} />}
    </>
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
        {...(status === undefined && {
          empty: <EmptyState title={own.noAttempts}>{own.noAttemptsMeans}</EmptyState>,
        })}
        columns={[
          { title: texts.madeAt, cell: ({ attempted_at }) => when(attempted_at) },
          { title: texts.event, cell: ({ event_type }) => event_type },
          {
            title: texts.status,
            cell: ({ status: came }) => <Status of={came} />,
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
function FailureReason({ id }: { id: string }) {
  const { comanda } = useComanda();
  const { data } = useQuery({
    queryKey: ['attempts', id, 'last'],
    queryFn: ({ signal }) => comanda.webhookEndpoints.deliveries.query({ id, limit: 1 }, { signal }),
  });
  const [last] = data?.data ?? [];
  return last === undefined ? null : <span className="quiet"> {reasonOf(last)}</span>;
}
