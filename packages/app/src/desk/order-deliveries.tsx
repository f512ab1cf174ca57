import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { Deed } from './deed.tsx';
import { Listing } from './listing.tsx';
import type { Overview } from './overview.ts';
import { deskTexts } from './texts.ts';
import { useWhen } from './when.ts';

/** The deliveries of the order's events, with their endpoints and results. */
export function OrderDeliveries({ deliveries }: Pick<Overview, 'deliveries'>) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const when = useWhen();
  return (
    <Listing
      caption={texts.deliveries}
      isTitled
      rows={{ data: deliveries, total: deliveries.length, error: null, isReading: false }}
      keyOf={({ id }) => id}
      columns={[
        { title: texts.event, cell: ({ event_type }) => event_type },
        { title: texts.endpoint, cell: ({ endpoint_url }) => endpoint_url },
        {
          title: texts.status,
          cell: ({ status, attempts, response_code, error }) => (
            <span className={status}>
              {texts.statuses[status]} · {texts.attempts(attempts)}
              {(response_code ?? error) !== undefined && ` · ${response_code ?? error}`}
            </span>
          ),
        },
        { title: texts.next, cell: ({ next_attempt_at }) => next_attempt_at && when(next_attempt_at) },
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
  );
}
