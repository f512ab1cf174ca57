import { useQuery } from '@tanstack/react-query';
import { Badge } from '../frame/badge.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { EmptyState } from '../frame/empty.tsx';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { Deed } from './deed.tsx';
import { EditForm } from './edit-form.tsx';
import { Folded } from './folded.tsx';
import { numberIn } from './number-in.ts';
import { optionTexts } from './option-texts.ts';
import { productTexts } from './product-texts.ts';
import { type Group, useShort } from './unsold.tsx';

type Item = Group['items'][number];

/** The groups of options of a product, which has at most 50 of them. */
export function useGroups(productId: string) {
  const { comanda } = useComanda();
  return useQuery({
    queryKey: ['options', productId],
    queryFn: async ({ signal }): Promise<readonly Group[]> =>
      (await comanda.subselections.list.query({ product_id: productId, limit: 50 }, { signal })).data,
  });
}

interface Props {
  productId: string;
  groups: readonly Group[];
  isReadOnly: boolean;
}

/** The groups of options of a product: each group and option is edited where it is shown. */
export function Options({ productId, groups, isReadOnly }: Props) {
  const own = useTexts(optionTexts);
  return (
    <>
      <h3>{own.options}</h3>
      {groups.length === 0 && (
        <EmptyState title={own.noGroups}>{!isReadOnly && own.noGroupsMeans}</EmptyState>
      )}
      {groups.map((group) => (
        <GroupView key={group.id} {...{ group, isReadOnly }} />
      ))}
      {!isReadOnly && (
        <Folded summary={own.newGroup}>
          <NewGroup productId={productId} />
        </Folded>
      )}
    </>
  );
}

function GroupView({ group, isReadOnly }: { group: Group; isReadOnly: boolean }) {
  const own = useTexts(optionTexts);
  const { name, min_selection, max_selection, single, items } = group;
  const short = useShort()(group);
  return (
    <section className="group" aria-label={name}>
      <h4>
        {name}{' '}
        {short && (
          <Badge tone={short.isForGood ? 'bad' : 'wait'}>{short.isForGood ? own.never : own.notNow}</Badge>
        )}
      </h4>
      <p className="quiet">{own.bounds(min_selection, max_selection, single)}</p>
      {short && <p>{short.sentence}</p>}
      <ul>
        {items.map((item) => (
          <li key={item.id}>
            {isReadOnly ? (
              <ItemFacts {...item} />
            ) : (
              <Folded summary={<ItemFacts {...item} />}>
                <ItemForm item={item} productId={group.product_id} />
              </Folded>
            )}
          </li>
        ))}
      </ul>
      {!isReadOnly && (
        <>
          <Folded summary={own.addOption}>
            <NewItem group={group} />
          </Folded>
          <Folded summary={own.editGroup}>
            <GroupForm group={group} />
          </Folded>
        </>
      )}
    </section>
  );
}

function ItemFacts({ name, price, visible, stock }: Item) {
  const own = useTexts(optionTexts);
  const format = useFormat();
  const isSoldOut = stock.enabled && stock.quantity === 0;
  return (
    <>
      {name} {price !== 0 && `+${format.money(price)} `}
      {!visible && <Badge>{own.hidden}</Badge>} {isSoldOut && <Badge tone="wait">{own.soldOut}</Badge>}
      {stock.enabled && !isSoldOut && (
        <span className="quiet">{own.left(format.quantity(stock.quantity))}</span>
      )}
    </>
  );
}

function ItemForm({ item, productId }: { item: Item; productId: string }) {
  const { comanda } = useComanda();
  const own = useTexts(optionTexts);
  const products = useTexts(productTexts);
  const { id, name, etag } = item;
  const readNow = async () => {
    const { data } = await comanda.subselections.list.query({ product_id: productId, limit: 50 });
    return textsOf(data.flatMap(({ items }) => items).find((each) => each.id === id) ?? item);
  };
  return (
    <>
      <EditForm
        label={own.editOf(name)}
        isReadOnly={false}
        etag={etag}
        fields={[
          { name: 'name', label: own.itemName },
          { name: 'price', label: own.price, kind: 'amount' },
          { name: 'min', label: own.least, kind: 'count' },
          { name: 'max', label: own.most, kind: 'count' },
          { name: 'visible', label: own.isVisible, kind: 'check' },
          { name: 'enabled', label: products.isCounted, kind: 'check' },
          { name: 'quantity', label: products.quantity, kind: 'quantity' },
        ]}
        known={textsOf(item)}
        save={({ price, min, max, visible, name: typed }, expected) =>
          comanda.subselectionItems.update.mutate({
            id,
            expected,
            ...(typed !== undefined && { name: typed }),
            ...(price !== undefined && { price: numberIn(price) }),
            ...(min !== undefined && { min: numberIn(min) }),
            ...(max !== undefined && { max: numberIn(max) }),
            ...(visible !== undefined && { visible: visible === 'true' }),
          })
        }
        apart={{
          names: ['enabled', 'quantity'],
          // No tag moves with stock.
          readNow,
          save({ enabled, quantity }, _etag, seen) {
            const stock = {
              enabled: (enabled ?? seen.enabled) === 'true',
              quantity: numberIn(quantity ?? seen.quantity),
            };
            return comanda.subselectionItems.update.mutate({ id, stock });
          },
        }}
      />
      <div className="deeds">
        <Deed
          label={own.remove}
          of={name}
          act={() => comanda.subselectionItems.delete.mutate({ id, expected: etag })}
        />
      </div>
    </>
  );
}

const textsOf = ({ name, price, min, max, visible, stock: { enabled, quantity } }: Item) => ({
  name,
  price: String(price),
  min: String(min),
  max: String(max),
  visible: String(visible),
  enabled: String(enabled),
  quantity: String(quantity),
});

function NewItem({ group: { id, name } }: { group: Group }) {
  const { comanda } = useComanda();
  const own = useTexts(optionTexts);
  return (
    <EditForm
      label={own.addTo(name)}
      submit={own.add}
      isReadOnly={false}
      fields={[
        { name: 'name', label: own.itemName },
        { name: 'price', label: own.price, kind: 'amount' },
      ]}
      known={{ name: '', price: '0' }}
      save={({ name: typed = '', price = '0' }) =>
        comanda.subselectionItems.create.mutate({
          subselection_id: id,
          name: typed,
          price: numberIn(price),
        })
      }
    />
  );
}

function GroupForm({ group: { id, name, etag, min_selection, max_selection, single } }: { group: Group }) {
  const { comanda } = useComanda();
  const own = useTexts(optionTexts);
  return (
    <>
      <EditForm
        label={own.editOf(name)}
        isReadOnly={false}
        etag={etag}
        fields={[
          { name: 'name', label: own.groupName },
          { name: 'least', label: own.leastOf, kind: 'count' },
          { name: 'most', label: own.mostOf, kind: 'count' },
          { name: 'single', label: own.isSingle, kind: 'check' },
        ]}
        known={{ name, least: String(min_selection), most: String(max_selection), single: String(single) }}
        save={({ name: typed, least, most, single: isSingle }, expected) =>
          comanda.subselections.update.mutate({
            id,
            expected,
            ...(typed !== undefined && { name: typed }),
            ...(least !== undefined && { min_selection: numberIn(least) }),
            ...(most !== undefined && { max_selection: numberIn(most) }),
            ...(isSingle !== undefined && { single: isSingle === 'true' }),
          })
        }
      />
      <div className="deeds">
        <Deed
          label={own.removeGroup}
          of={name}
          question={{ title: own.sureToRemove(name), text: own.removeMeans }}
          act={() => comanda.subselections.delete.mutate({ id, expected: etag })}
        />
      </div>
    </>
  );
}

function NewGroup({ productId }: { productId: string }) {
  const { comanda } = useComanda();
  const own = useTexts(optionTexts);
  return (
    <>
      <p className="quiet">{own.leastLater}</p>
      <EditForm
        label={own.newGroup}
        submit={own.make}
        isReadOnly={false}
        fields={[
          { name: 'name', label: own.groupName },
          { name: 'most', label: own.mostOf, kind: 'count' },
        ]}
        known={{ name: '', most: '1' }}
        save={({ name = '', most = '1' }) =>
          comanda.subselections.create.mutate({
            product_id: productId,
            name,
            min_selection: 0,
            max_selection: numberIn(most),
            items: [],
          })
        }
      />
    </>
  );
}
