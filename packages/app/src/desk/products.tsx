import { Link } from '../frame/address.tsx';
import { Badge } from '../frame/badge.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { EmptyState } from '../frame/empty.tsx';
import { useFormat } from '../frame/format.ts';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { useCategories } from './categories-known.ts';
import { ProductsCsv } from './csv.tsx';
import { csvTexts } from './csv-texts.ts';
import { Filters, useFilter } from './filter.tsx';
import { Listing } from './listing.tsx';
import { usePages } from './pages.ts';
import { ProductView } from './product.tsx';
import { productTexts } from './product-texts.ts';
import { useRowIn } from './row-path.ts';
import { MarkSoldOut } from './sold-out.tsx';
import { deskTexts } from './texts.ts';
import { Unsold } from './unsold.tsx';

const base = '/app/desk/products';

/** The products, the one that the address names, or all as a file. */
export function Products() {
  const id = useRowIn(base);
  if (id === 'csv') return <ProductsCsv />;
  return id === '' ? <ProductList /> : <ProductView key={id} id={id} />;
}

function ProductList() {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(productTexts);
  const files = useTexts(csvTexts);
  const format = useFormat();
  const may = useGranted().may?.('products:write') === true;
  const categories = useCategories();
  const [filter, setFilter] = useFilter('products');
  const { text = '', category = '', shown = '' } = filter;
  const narrowed = {
    ...(text.trim() !== '' && { search: text.trim() }),
    ...(category !== '' && { category_id: category }),
    ...(shown !== '' && { visible: shown === 'visible' }),
  };
  const rows = usePages(['products', 'desk', narrowed], (offset, signal) =>
    comanda.products.list.query({ ...narrowed, limit: 50, offset }, { signal }),
  );
  return (
    <>
      <Filters
        submit={own.find}
        filter={filter}
        onChange={setFilter}
        fields={[
          { name: 'text', label: own.text },
          {
            name: 'category',
            label: own.category,
            kind: [{ value: '', label: own.all }, ...categories],
          },
          {
            name: 'shown',
            label: own.shown,
            kind: [
              { value: '', label: own.all },
              { value: 'visible', label: own.onMenu },
              { value: 'hidden', label: own.hidden },
            ],
          },
        ]}
      />
      <p>
        <Link to={`${base}/csv`}>{files.link}</Link>
      </p>
      <Unsold />
      <Listing
        caption={texts.parts.products}
        isTitled
        rows={rows}
        empty={<EmptyState title={texts.none}>{own.none}</EmptyState>}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.name, cell: ({ id, name }) => <Link to={`${base}/${id}`}>{name}</Link> },
          { title: own.sku, cell: ({ sku }) => sku },
          { title: own.price, isNumber: true, cell: ({ price }) => format.money(price) },
          {
            title: own.stock,
            isNumber: true,
            cell: ({ stock }) =>
              !stock.enabled ? (
                own.notCounted
              ) : stock.quantity === 0 ? (
                <Badge tone="bad">{own.soldOut}</Badge>
              ) : (
                format.quantity(stock.quantity)
              ),
          },
          { title: own.categories, cell: (product) => product.categories.map(({ name }) => name).join(', ') },
          {
            title: own.shown,
            cell: ({ visible }) => (
              <Badge tone={visible ? 'good' : 'quiet'}>{visible ? own.onMenu : own.hidden}</Badge>
            ),
          },
          { title: texts.deed, cell: (product) => may && <MarkSoldOut {...product} /> },
        ]}
      />
    </>
  );
}
