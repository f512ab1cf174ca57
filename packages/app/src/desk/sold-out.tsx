import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { Deed } from './deed.tsx';
import { productTexts } from './product-texts.ts';

interface Props {
  id: string;
  name: string;
  stock: { enabled: boolean; quantity: number; min_stock_alarm: number };
}

/** Makes a product one that cannot be ordered: its stock is counted, and none is left. Nothing where that is so. */
export function MarkSoldOut({ id, name, stock }: Props) {
  const { comanda } = useComanda();
  const own = useTexts(productTexts);
  if (stock.enabled && stock.quantity === 0) return null;
  const { min_stock_alarm } = stock;
  return (
    <Deed
      label={own.markSoldOut}
      of={name}
      act={() =>
        comanda.products.update.mutate({ id, stock: { enabled: true, quantity: 0, min_stock_alarm } })
      }
    />
  );
}
