import type { ComandaClient } from '@comanda/client';
import { useFormat } from './format.ts';

type Order = Awaited<ReturnType<ComandaClient['orders']['get']['query']>>;

interface Props {
  of: Order['items'][number]['subselections'];
}

/** The choices of a line, in the words of then: "Without onion, 2 Cheese". Nothing where nothing was chosen. */
export function Choices({ of = [] }: Props) {
  const format = useFormat();
  const named = of.flatMap(({ name, quantity }) =>
    name === undefined ? [] : [quantity === 1 ? name : `${format.quantity(quantity)} ${name}`],
  );
  return named.length === 0 ? null : <span className="choices">{named.join(', ')}</span>;
}
