import { useQuery } from '@tanstack/react-query';
import { dayTexts } from '../day/texts.ts';
import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { Unread } from '../frame/skeleton.tsx';
import { Time } from '../frame/time.tsx';
import { useRowTitle } from '../frame/title.ts';
import { Listing } from './listing.tsx';
import { usePages } from './pages.ts';
import { deskTexts } from './texts.ts';
import { turnTexts } from './turn-texts.ts';
import { useWhen } from './when.ts';

/** The settlement of a closed turn, and each payment, correction and refund that it is made of. */
export function SettlementView({ id }: { id: string }) {
  const { comanda } = useComanda();
  const own = useTexts(turnTexts);
  const { methods } = useTexts(dayTexts);
  const say = useRefusal();
  const format = useFormat();
  const when = useWhen();
  const { data, error } = useQuery({
    queryKey: ['settlement', id],
    queryFn: ({ signal }) => comanda.settlements.get.query({ id }, { signal }),
  });
  useRowTitle(data && own.turn(data.batch_number));
  if (data === undefined) return <Unread {...{ error, say }} />;
  const figure = (of?: { count: number; amount: number }) =>
    of && `${format.quantity(of.count)} · ${format.money(of.amount)}`;
  const facts: [string, string | undefined][] = [
    [own.started, when(data.started_at)],
    [own.ended, data.ended_at && when(data.ended_at)],
    [own.orders, own.ordersOf(data.orders)],
    [own.collected, data.total_collected === undefined ? undefined : format.money(data.total_collected)],
    ...data.payments.map((payment): [string, string | undefined] => [
      methods[payment.method],
      figure(payment),
    ]),
    [own.corrections, figure(data.corrections)],
    [own.refunds, figure(data.refunds)],
  ];
  return (
    <article className="order" aria-label={own.turn(data.batch_number)}>
      <h2>{own.turn(data.batch_number)}</h2>
      <dl>
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      <Entries id={id} />
      <p>
        <Link to="/app/desk/turns">{own.allTurns}</Link>
      </p>
    </article>
  );
}

function Entries({ id }: { id: string }) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(turnTexts);
  const { methods } = useTexts(dayTexts);
  const format = useFormat();
  const rows = usePages(['settlement entries', id], (offset, signal) =>
    comanda.settlements.entries.query({ id, limit: 50, offset }, { signal }),
  );
  return (
    <Listing
      caption={own.entries}
      rows={rows}
      keyOf={(entry) => entry.id}
      columns={[
        {
          title: texts.madeAt,
          cell: ({ created_at, order_id }) => (
            <Link to={`/app/desk/orders/${order_id}`}>
              <Time at={created_at} />
            </Link>
          ),
        },
        { title: texts.what, cell: ({ kind }) => own.kinds[kind] },
        { title: own.method, cell: ({ method }) => methods[method] },
        { title: texts.total, isNumber: true, cell: ({ amount }) => format.money(amount) },
        {
          title: texts.refundReason,
          cell: ({ reason, person }) => [reason, person].filter((part) => part !== undefined).join(' · '),
        },
      ]}
    />
  );
}
