import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { EmptyState } from '../frame/empty.tsx';
import { useFormat } from '../frame/format.ts';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { Time } from '../frame/time.tsx';
import { type Filter, Filters, useFilter } from './filter.tsx';
import { Listing } from './listing.tsx';
import { MoneyList } from './money-list.tsx';
import { orderListTexts } from './order-list-texts.ts';
import { usePages } from './pages.ts';
import { daysOfSearch } from './search-days.ts';
import { Status } from './status.tsx';
import { deskTexts } from './texts.ts';

const statuses = ['pending', 'ready', 'closed', 'canceled'] as const;
/** Lists of payments, which have no filter. */
const books = ['canceled_and_paid', 'refunded'] as const;

/** The orders, newest first, filtered; or the payments that need a person's attention. */
export function OrderList() {
  const own = useTexts(orderListTexts);
  const texts = useTexts(deskTexts);
  const mayReadPayments = useGranted().may?.('payments:read') === true;
  const [filter, setFilter] = useFilter('orders');
  const named = books.find((name) => name === filter.shown);
  return (
    <>
      <Filters
        submit={own.show}
        filter={filter}
        onChange={setFilter}
        fields={[
          {
            name: 'shown',
            label: texts.status,
            kind: [
              { value: '', label: own.all },
              ...statuses.map((value) => ({ value, label: texts.statuses[value] })),
              ...(mayReadPayments ? books.map((value) => ({ value, label: texts.lists[value] })) : []),
            ],
          },
          ...(named === undefined
            ? ([
                { name: 'from', label: own.from, kind: 'date' },
                { name: 'to', label: own.to, kind: 'date' },
                { name: 'channel', label: texts.channel },
                { name: 'text', label: own.text },
              ] as const)
            : []),
        ]}
      />
      {named === undefined ? <Found {...filter} /> : <MoneyList books={named} />}
    </>
  );
}

function Found({ shown = '', from = '', to = '', channel = '', text = '' }: Filter) {
  const { comanda } = useComanda();
  const own = useTexts(orderListTexts);
  const texts = useTexts(deskTexts);
  const format = useFormat();
  const wanted = text.trim();
  const days = wanted === '' ? { from, to } : daysOfSearch({ from, to }, format.today());
  const status = statuses.find((each) => each === shown);
  const narrowed = {
    limit: 50,
    ...(days.from !== '' && { from: days.from }),
    ...(days.to !== '' && { to: days.to }),
    ...(channel.trim() !== '' && { channel: channel.trim() }),
    ...(status !== undefined && { status: [status] }),
  };
  const rows = usePages(['orders', narrowed, wanted], (offset, signal) =>
    wanted === ''
      ? comanda.orders.list.query({ ...narrowed, offset, include: ['details'] }, { signal })
      : comanda.orders.search.query({ ...narrowed, ...days, offset, text: wanted }, { signal }),
  );
  return (
    <>
      {wanted !== '' && <p className="quiet">{own.searched(format.day(days.from), format.day(days.to))}</p>}
      <Listing
        caption={texts.parts.orders}
        isTitled
        rows={rows}
        empty={<EmptyState title={texts.none}>{own.none}</EmptyState>}
        keyOf={({ id }) => id}
        columns={[
          {
            title: own.number,
            cell: ({ id, number }) => <Link to={`/app/desk/orders/${id}`}>{texts.order(number)}</Link>,
          },
          { title: texts.madeAt, cell: ({ created_at }) => <Time at={created_at} /> },
          { title: texts.status, cell: ({ status: at }) => <Status of={at} /> },
          { title: texts.identifier, cell: ({ identifier }) => identifier },
          { title: texts.channel, cell: ({ channel: through }) => through },
          { title: texts.payment, cell: ({ payment }) => payment && <Status of={payment.status} /> },
          { title: texts.total, isNumber: true, cell: ({ total }) => format.money(total) },
        ]}
      />
    </>
  );
}
