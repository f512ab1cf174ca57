import { useQuery } from '@tanstack/react-query';
import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { tagged } from '../frame/location.ts';
import { useRefusal } from '../frame/refusal.ts';
import { Unread } from '../frame/skeleton.tsx';
import { useRowTitle } from '../frame/title.ts';
import { useCategories } from './categories-known.ts';
import { EditForm } from './edit-form.tsx';
import { severalIn } from './edit-input.tsx';
import { numberIn } from './number-in.ts';
import { productTexts } from './product-texts.ts';
import { RowHistory } from './row-history.tsx';
import { MarkSoldOut } from './sold-out.tsx';
import { changeStock, stockTexts } from './stock-edits.ts';
import { StudioLink } from './studio.tsx';
import { deskTexts } from './texts.ts';
import { Unsold } from './unsold.tsx';

/** A product: its fields and its stock, each in a form of its own, and its history. */
export function ProductView({ id }: { id: string }) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(productTexts);
  const say = useRefusal();
  const { may } = useGranted();
  const isReadOnly = may?.('products:write') !== true;
  const categories = useCategories();
  const read = async (signal?: AbortSignal) => tagged(await comanda.products.get.query({ id }, { signal }));
  const { data, error } = useQuery({
    queryKey: ['product', id],
    queryFn: ({ signal }) => read(signal),
  });
  useRowTitle(data?.name);
  if (data === undefined) return <Unread {...{ error, say }} />;
  const { name, description, sku, price, visible, etag } = data;
  // A category that the key may not list is kept, too.
  const options = new Map(
    [...data.categories.map((each) => ({ value: each.id, label: each.name })), ...categories].map((each) => [
      each.value,
      each,
    ]),
  );
  const order = categories.length === 0 ? [...options.values()] : categories;
  return (
    <article className="order" aria-label={name}>
      <header>
        <h2>{name}</h2>
        <StudioLink table="products" id={id} />
      </header>
      <Unsold productId={id} />
      <EditForm
        label={name}
        isReadOnly={isReadOnly}
        etag={etag}
        fields={[
          { name: 'name', label: texts.name },
          { name: 'price', label: own.price, kind: 'amount' },
          { name: 'sku', label: own.sku },
          { name: 'description', label: own.description, kind: 'long', isOptional: true },
          { name: 'visible', label: own.isVisible, kind: 'check' },
          { name: 'categories', label: own.categories, kind: { options: order, several: true } },
        ]}
        known={{
          name,
          description,
          sku,
          price: String(price),
          visible: String(visible),
          categories: inOrder(order, new Set(data.categories.map((each) => each.id))),
        }}
        save={({ price: typed, visible: isVisible, categories: chosen, ...changed }, expected) =>
          comanda.products.update.mutate({
            id,
            ...changed,
            expected,
            ...(typed !== undefined && { price: numberIn(typed) }),
            ...(isVisible !== undefined && { visible: isVisible === 'true' }),
            ...(chosen !== undefined && { category_ids: severalIn(chosen) }),
          })
        }
      />
      <h3>{own.stock}</h3>
      <EditForm
        label={own.stock}
        isReadOnly={isReadOnly}
        fields={[
          { name: 'enabled', label: own.isCounted, kind: 'check' },
          { name: 'quantity', label: own.quantity, kind: 'quantity' },
          { name: 'alarm', label: own.alarm, kind: 'quantity' },
        ]}
        known={stockTexts(data)}
        // No tag moves with stock, which every order takes from.
        readNow={async () => stockTexts(await read())}
        save={(changed, _etag, seen) => changeStock(comanda, id, changed, seen)}
      />
      {!isReadOnly && (
        <div className="deeds">
          <MarkSoldOut {...data} />
        </div>
      )}
      {may?.('audit:read') === true && <RowHistory id={id} />}
      <p>
        <Link to="/app/desk/products">{own.allProducts}</Link>
      </p>
    </article>
  );
}

const inOrder = (options: readonly { value: string }[], chosen: ReadonlySet<string>): string =>
  options
    .map(({ value }) => value)
    .filter((value) => chosen.has(value))
    .join();
