import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { Deed } from './deed.tsx';
import { productTexts } from './product-texts.ts';
import { markSoldOut } from './stock-edits.ts';

interface Props {
  id: string;
  name: string;
  stock: { enabled: boolean; quantity: number };
}

/** Makes a product one that cannot be ordered: its stock is counted, and none is left. Nothing where that is so. */
export function MarkSoldOut({ id, name, stock }: Props) {
  const { comanda } = useComanda();
  const own = useTexts(productTexts);
  if (stock.enabled && stock.quantity === 0) return null;
  return <Deed label={own.markSoldOut} of={name} act={() => markSoldOut(comanda, id, stock.quantity)} />;
}
