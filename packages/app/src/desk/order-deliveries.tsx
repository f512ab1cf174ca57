import { useQuery } from '@tanstack/react-query';
import { useComanda } from '../frame/comanda.tsx';
import { EmptyState } from '../frame/empty.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { Time } from '../frame/time.tsx';
import { Deed } from './deed.tsx';
import { deliveryTexts } from './delivery-texts.ts';
import { Listing } from './listing.tsx';
import { type NotSent, notSentOf } from './order-not-sent.ts';
import type { Overview } from './overview.ts';
import { Status } from './status.tsx';
import { deskTexts } from './texts.ts';

type Delivery = Overview['deliveries'][number];

/** The deliveries of the order's events, with their endpoints and results, and why other events were not sent. */
export function OrderDeliveries({ deliveries, timeline }: Pick<Overview, 'deliveries' | 'timeline'>) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(deliveryTexts);
  const endpoints = useEndpoints();
  const notSent = endpoints === undefined ? [] : notSentOf({ timeline, deliveries }, endpoints);
  return (
    <>
      {(deliveries.length > 0 || notSent.length === 0) && (
        <Listing
          caption={texts.deliveries}
          isTitled
          rows={{ data: deliveries, total: deliveries.length, error: null, isReading: false }}
          empty={<EmptyState title={own.unknown} />}
          keyOf={({ id }) => id}
          columns={[
            { title: texts.event, cell: ({ event_type }) => event_type },
            { title: texts.endpoint, cell: ({ endpoint_url }) => endpoint_url },
            { title: texts.status, cell: (delivery) => <Outcome of={delivery} among={deliveries} /> },
            {
              title: texts.next,
              cell: ({ next_attempt_at }) => next_attempt_at && <Time at={next_attempt_at} />,
            },
            {
              title: texts.deed,
              cell: ({ id, can_retry, event_type, endpoint_url }) =>
                can_retry && (
                  <Deed
                    label={texts.resend}
                    of={`${event_type} → ${endpoint_url}`}
                    act={() => comanda.deliveries.retry.mutate({ id })}
                  />
                ),
            },
          ]}
        />
      )}
      <NotSentList of={notSent} />
    </>
  );
}

/** The endpoints of the location, for keys that may see them. */
function useEndpoints() {
  const { comanda } = useComanda();
  const may = useGranted().may?.('webhooks:read') === true;
  const { data } = useQuery({
    queryKey: ['endpoints', 'of an order'],
    queryFn: ({ signal }) => comanda.webhookEndpoints.list.query({ limit: 200 }, { signal }),
    enabled: may,
  });
  return data?.data;
}

/** How a delivery ended so far; of a dropped one, why. */
function Outcome({ of: delivery, among }: { of: Delivery; among: readonly Delivery[] }) {
  const texts = useTexts(deskTexts);
  const own = useTexts(deliveryTexts);
  const { status, attempts, response_code, error } = delivery;
  const isReplaced = among.some(
    (later) =>
      later.replayed === true &&
      later.event_id === delivery.event_id &&
      later.endpoint_id === delivery.endpoint_id &&
      Date.parse(later.created_at) > Date.parse(delivery.created_at),
  );
  return (
    <>
      <Status of={status}>
        {` · ${texts.attempts(attempts)}`}
        {(response_code ?? error) !== undefined && ` · ${response_code ?? error}`}
      </Status>
      {status === 'dropped' && (
        <p className="quiet">{isReplaced ? own.droppedByResend : own.droppedByPause}</p>
      )}
    </>
  );
}

/** Why events were not sent, one sentence for each reason and endpoint. */
function NotSentList({ of }: { of: readonly NotSent[] }) {
  const own = useTexts(deliveryTexts);
  if (of.length === 0) return null;
  return (
    <ul className="changes" aria-label={own.notSent}>
      {of.map(({ reason, url = '', types }) => (
        <li key={`${reason} ${url}`}>{own[reason](types.join(', '), url)}</li>
      ))}
    </ul>
  );
}
