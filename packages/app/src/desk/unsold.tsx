import { useQuery } from '@tanstack/react-query';
import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { productTexts } from './product-texts.ts';

const shownAtOnce = 20;

/**
 * The choices that no order can satisfy, of one product or of all: every order of their product is refused. Nothing where there are
 * none.
 */
export function Unsold({ productId }: { productId?: string }) {
  const { comanda } = useComanda();
  const own = useTexts(productTexts);
  const { data } = useQuery({
    queryKey: ['unsold', productId ?? 'all'],
    queryFn: ({ signal }) =>
      comanda.subselections.list.query(
        { satisfiable: false, limit: shownAtOnce, ...(productId !== undefined && { product_id: productId }) },
        { signal },
      ),
  });
  if (data === undefined || data.data.length === 0) return null;
  const more = data.pagination.total - data.data.length;
  return (
    <section className="unsold" aria-label={own.unsold}>
      <h3>{own.unsold}</h3>
      <ul>
        {data.data.map(({ id, product_id, product_name, name, min_selection, selectable }) => (
          <li key={id}>
            {productId === undefined && (
              <>
                <Link to={`/app/desk/products/${product_id}`}>{product_name}</Link>:{' '}
              </>
            )}
            {own.needsMore(name, min_selection, selectable)}
          </li>
        ))}
      </ul>
      {more > 0 && <p>{own.andMore(more)}</p>}
    </section>
  );
}
