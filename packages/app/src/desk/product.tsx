import type { ComandaClient } from '@comanda/client';
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
import { Options, useGroups } from './options.tsx';
import { PlannedPrices, usePlannedPrices } from './planned-prices.tsx';
import { PricePlot } from './price-plot.tsx';
import { productTexts } from './product-texts.ts';
import { RowHistory } from './row-history.tsx';
import { MarkSoldOut } from './sold-out.tsx';
import { changeStock, stockTexts } from './stock-edits.ts';
import { StudioLink } from './studio.tsx';
import { deskTexts } from './texts.ts';
import { UnsoldOf } from './unsold.tsx';

type Product = Awaited<ReturnType<ComandaClient['products']['get']['query']>>;

/** A product: its fields and its stock in one form, its planned prices, its options, and its history. */
export function ProductView({ id }: { id: string }) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(productTexts);
  const say = useRefusal();
  const { may } = useGranted();
  const isReadOnly = may?.('products:write') !== true;
  const mayAudit = may?.('audit:read') === true;
  const categories = useCategories();
  const read = async (signal?: AbortSignal) => tagged(await comanda.products.get.query({ id }, { signal }));
  const { data, error } = useQuery({
    queryKey: ['product', id],
    queryFn: ({ signal }) => read(signal),
  });
  const groups = useGroups(id);
  const planned = usePlannedPrices(id);
  useRowTitle(data?.name);
  if (data === undefined) return <Unread {...{ error, say }} />;
  const { name, price, etag } = data;
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
      <UnsoldOf groups={groups.data ?? []} />
      <EditForm
        label={name}
        isReadOnly={isReadOnly}
        etag={etag}
        fields={[
          { name: 'name', label: texts.name, section: own.details },
          { name: 'sku', label: own.sku },
          { name: 'external_id', label: texts.externalId, isOptional: true },
          { name: 'description', label: own.description, kind: 'long', isOptional: true },
          { name: 'visible', label: own.isVisible, kind: 'check' },
          { name: 'categories', label: own.categories, kind: { options: order, several: true } },
          { name: 'price', label: own.price, kind: 'amount', section: own.price },
          { name: 'enabled', label: own.isCounted, kind: 'check', section: own.stock },
          { name: 'quantity', label: own.quantity, kind: 'quantity' },
          { name: 'alarm', label: own.alarm, kind: 'quantity' },
          {
            name: 'image_url',
            label: own.imageUrl,
            kind: { pictureOf: name },
            isOptional: true,
            section: own.image,
          },
        ]}
        known={textsOf(data, order)}
        save={({ price: typed, visible, categories: chosen, external_id, ...changed }, expected) =>
          comanda.products.update.mutate({
            id,
            ...changed,
            expected,
            ...(external_id !== undefined && { external_id: external_id || null }),
            ...(typed !== undefined && { price: numberIn(typed) }),
            ...(visible !== undefined && { visible: visible === 'true' }),
            ...(chosen !== undefined && { category_ids: severalIn(chosen) }),
          })
        }
        apart={{
          names: ['enabled', 'quantity', 'alarm'],
          // No tag moves with stock, which every order takes from.
          readNow: async () => textsOf(await read(), order),
          save: (changed, _etag, seen) => changeStock(comanda, id, changed, seen),
        }}
      />
      {!isReadOnly && (
        <div className="deeds">
          <MarkSoldOut {...data} />
        </div>
      )}
      {planned.data === undefined ? (
        <Unread {...{ error: planned.error, say }} />
      ) : (
        <>
          <PlannedPrices productId={id} planned={planned.data} isReadOnly={isReadOnly} />
          {mayAudit && <PricePlot id={id} price={price} planned={planned.data} />}
        </>
      )}
      {groups.data === undefined ? (
        <Unread {...{ error: groups.error, say }} />
      ) : (
        <Options productId={id} groups={groups.data} isReadOnly={isReadOnly} />
      )}
      {mayAudit && <RowHistory id={id} />}
      <p>
        <Link to="/app/desk/products">{own.allProducts}</Link>
      </p>
    </article>
  );
}

const textsOf = (product: Product, categories: readonly { value: string }[]) => {
  const { name, sku, external_id = '', description, price, visible, image_url } = product;
  const chosen = new Set(product.categories.map((each) => each.id));
  return {
    ...{ name, sku, external_id, description, image_url },
    price: String(price),
    visible: String(visible),
    categories: inOrder(categories, chosen),
    ...stockTexts(product),
  };
};

const inOrder = (options: readonly { value: string }[], chosen: ReadonlySet<string>): string =>
  options
    .map(({ value }) => value)
    .filter((value) => chosen.has(value))
    .join();
