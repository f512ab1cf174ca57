import type { ComandaClient } from '@comanda/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { productTexts } from './product-texts.ts';

/** A choice of a product with its options. */
export type Group = Awaited<ReturnType<ComandaClient['subselections']['list']['query']>>['data'][number];

const shownAtOnce = 20;

/** The choices that no order can satisfy, of all products: every order of their product is refused. Nothing where there are none. */
export function Unsold() {
  const { comanda } = useComanda();
  const own = useTexts(productTexts);
  const { data } = useQuery({
    queryKey: ['unsold'],
    queryFn: ({ signal }) =>
      comanda.subselections.list.query({ satisfiable: false, limit: shownAtOnce }, { signal }),
  });
  if (data === undefined || data.data.length === 0) return null;
  const more = data.pagination.total - data.data.length;
  return (
    <section className="unsold" aria-label={own.unsold}>
      <h3>{own.unsold}</h3>
      <ul>
        {data.data.map(({ id, product_id, product_name, name, min_selection, selectable }) => (
          <li key={id}>
            <Link to={`/app/desk/products/${product_id}`}>{product_name}</Link>:{' '}
            {own.needsMore(name, min_selection, selectable)}
          </li>
        ))}
      </ul>
      {more > 0 && <p>{own.andMore(more)}</p>}
    </section>
  );
}

/** The same of one product, and the choices for which too many options are hidden or sold out just now. */
export function UnsoldOf({ groups }: { groups: readonly Group[] }) {
  const own = useTexts(productTexts);
  const shortOf = useShort();
  const sentences = groups.flatMap((group) => shortOf(group)?.sentence ?? []);
  if (sentences.length === 0) return null;
  return (
    <section className="unsold" aria-label={own.unsold}>
      <h3>{own.unsold}</h3>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

/**
 * Makes a sentence of why a choice cannot be satisfied: `isForGood` where no order can, as the service says, else by the options
 * that are hidden or sold out just now. Undefined where it can be satisfied.
 */
export function useShort(): (group: Group) => { isForGood: boolean; sentence: string } | undefined {
  const own = useTexts(productTexts);
  return (group) => {
    const { name, min_selection, selectable } = group;
    if (selectable < min_selection)
      return { isForGood: true, sentence: own.needsMore(name, min_selection, selectable) };
    const now = selectableNow(group);
    return now < min_selection
      ? { isForGood: false, sentence: own.needsMoreNow(name, min_selection, now) }
      : undefined;
  };
}

/** How many units a guest can choose at most of the options that are shown and in stock. */
function selectableNow({ items, single, max_selection }: Group): number {
  const units = items.map(({ visible, stock, min, max }) => {
    const most = stock.enabled ? Math.min(max, Math.floor(stock.quantity)) : max;
    return visible && min <= max_selection && min <= most ? most : 0;
  });
  const most = single ? Math.max(0, ...units) : units.reduce((sum, each) => sum + each, 0);
  return Math.min(most, max_selection);
}
