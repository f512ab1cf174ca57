import { useQuery } from '@tanstack/react-query';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { Filters, useFilter } from './filter.tsx';
import { Listing } from './listing.tsx';
import { salesTexts } from './sales-texts.ts';
import { deskTexts } from './texts.ts';

const groupings = ['product', 'day', 'category', 'payment_method', 'channel'] as const;

/** The sales of some days, by product or by another grouping. */
export function Sales() {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(salesTexts);
  const format = useFormat();
  const today = format.today();
  const [filter, setFilter] = useFilter('sales');
  const from = filter.from || today;
  const to = filter.to || today;
  const by = groupings.find((each) => each === filter.by) ?? 'product';
  const { data, error } = useQuery({
    queryKey: ['sales', from, to, by],
    queryFn: ({ signal }) => comanda.salesReports.get.query({ from, to, group_by: by }, { signal }),
  });
  return (
    <>
      <Filters
        submit={own.show}
        filter={{ from, to, by }}
        onChange={setFilter}
        fields={[
          { name: 'from', label: own.from, kind: 'date' },
          { name: 'to', label: own.to, kind: 'date' },
          {
            name: 'by',
            label: own.by,
            kind: groupings.map((value) => ({ value, label: own.groupings[value] })),
          },
        ]}
      />
      {data !== undefined && (
        <p>{own.totals(format.quantity(data.total_orders), format.money(data.total_amount))}</p>
      )}
      <Listing
        caption={own.sold}
        rows={{ data: data?.rows, total: data?.rows.length ?? 0, error, isReading: false }}
        keyOf={({ key }) => key}
        columns={[
          {
            title: own.groupings[by],
            cell: ({ key, name }) => (by === 'day' ? format.day(key) : name === '' ? own.without : name),
          },
          { title: texts.parts.orders, isNumber: true, cell: ({ orders }) => format.quantity(orders) },
          { title: own.quantity, isNumber: true, cell: ({ quantity }) => format.quantity(quantity) },
          { title: own.amount, isNumber: true, cell: ({ amount }) => format.money(amount) },
        ]}
      />
    </>
  );
}
