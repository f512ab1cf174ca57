import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { Time } from '../frame/time.tsx';
import { Listing } from './listing.tsx';
import { usePages } from './pages.ts';
import { deskTexts } from './texts.ts';

/** Payments that need a person's attention: paid when their orders were canceled, or refunded. */
export function MoneyList({ books }: { books: 'canceled_and_paid' | 'refunded' }) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const format = useFormat();
  const rows = usePages(['payments', books], (offset, signal) =>
    comanda.payments.list.query({ books, include: ['books'], limit: 20, offset }, { signal }),
  );
  return (
    <Listing
      caption={texts.lists[books]}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.madeAt,
          cell: ({ created_at, order_id }) => (
            <Link to={`/app/desk/orders/${order_id}`}>
              <Time at={created_at} />
            </Link>
          ),
        },
        { title: texts.total, isNumber: true, cell: ({ amount }) => format.money(amount) },
        { title: texts.refunded, isNumber: true, cell: ({ refunded = 0 }) => format.money(refunded) },
      ]}
    />
  );
}
