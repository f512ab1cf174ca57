import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { tagged } from '../frame/location.ts';
import { useRefusal } from '../frame/refusal.ts';
import { Unread } from '../frame/skeleton.tsx';
import { clockAt, momentAt } from './clock.ts';
import { type EditField, EditForm, type Texts } from './edit-form.tsx';
import { type Filter, Filters } from './filter.tsx';
import { numberIn } from './number-in.ts';
import { orderEditTexts } from './order-edit-texts.ts';
import { productTexts } from './product-texts.ts';
import { deskTexts } from './texts.ts';

interface Props {
  id: string;
  /** How the address names the order: its readings are those of the page. */
  wanted: string;
}

/** A button that opens the form of a pending order, for those who may edit it. */
export function OrderEdit(props: Props) {
  const own = useTexts(orderEditTexts);
  const [isOpen, setOpen] = useState(false);
  if (useGranted().may?.('orders:write') !== true) return null;
  return (
    <>
      <div className="deeds">
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {own.edit}
        </button>
      </div>
      {isOpen && <OrderForm {...props} />}
    </>
  );
}

/** A line of the form: one of the order, or a product that joins it. */
interface Line {
  /** The number of the line, or the id of the product. */
  key: number | string;
  label: string;
  quantity: string;
  comment: string;
}

function OrderForm({ id, wanted }: Props) {
  const { comanda, session } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(orderEditTexts);
  const say = useRefusal();
  const [joining, setJoining] = useState<readonly Line[]>([]);
  const { data, error } = useQuery({
    queryKey: ['order', wanted, 'lines'],
    queryFn: async ({ signal }) =>
      tagged(await comanda.orders.get.query({ id, include: ['details'] }, { signal })),
  });
  if (data === undefined) return <Unread {...{ error, say }} />;
  const { timezone } = session.location;
  const { items, note = '', promised_at, guests, etag } = data;
  const lines: Line[] = [
    ...items.map(({ line_id = 0, name, quantity, comment = '' }, index) => ({
      key: line_id,
      label: `${index + 1}. ${name}`,
      quantity: String(quantity),
      comment,
    })),
    ...joining,
  ];
  const fields = lines.flatMap(({ key, label }): EditField<string>[] => [
    { name: `quantity ${key}`, label: own.quantity(label), kind: 'quantity' },
    { name: `comment ${key}`, label: own.comment(label), isOptional: true },
  ]);
  const known = lines.flatMap(({ key, quantity, comment }) => [
    [`quantity ${key}`, quantity],
    [`comment ${key}`, comment],
  ]);
  return (
    <>
      <p className="quiet">{own.means}</p>
      <ProductsToAdd
        add={(key, name) =>
          lines.every((line) => line.key !== key) &&
          setJoining([...joining, { key, label: `+ ${name}`, quantity: '0', comment: '' }])
        }
      />
      <EditForm
        label={own.edit}
        isReadOnly={false}
        etag={etag}
        fields={[
          ...fields,
          { name: 'note', label: texts.note, isOptional: true },
          { name: 'promised', label: texts.promisedAt, kind: 'moment', isOptional: true },
          { name: 'guests', label: texts.guests, kind: 'whole', isOptional: true },
        ]}
        known={{
          ...Object.fromEntries(known),
          note,
          guests: String(guests ?? ''),
          promised: promised_at === undefined ? '' : clockAt(promised_at, timezone),
        }}
        save={async (typed, expected) => {
          await comanda.orders.edit.mutate({
            id,
            expected,
            items: linesOf(lines, typed),
            ...(typed.note !== undefined && { note: typed.note || null }),
            ...(typed.promised !== undefined && {
              promised_at: typed.promised === '' ? null : momentAt(typed.promised, timezone),
            }),
            ...(typed.guests !== undefined && {
              guests: typed.guests === '' ? null : numberIn(typed.guests),
            }),
          });
          setJoining([]);
        }}
      />
    </>
  );
}

/** What was typed as an edit of lines; undefined where no line is touched. */
function linesOf(lines: readonly Line[], typed: Partial<Texts<string>>) {
  const add: { product_id: string; quantity: number; comment?: string }[] = [];
  const change: { line_id: number; quantity?: number; comment?: string | null }[] = [];
  const remove: number[] = [];
  for (const { key } of lines) {
    const [asked, comment] = [typed[`quantity ${key}`], typed[`comment ${key}`]];
    const quantity = asked === undefined ? undefined : numberIn(asked);
    if (typeof key === 'string') {
      if (quantity) add.push({ product_id: key, quantity, ...(comment && { comment }) });
    } else if (quantity === 0) remove.push(key);
    else if (quantity !== undefined || comment !== undefined)
      change.push({
        line_id: key,
        ...(quantity !== undefined && { quantity }),
        ...(comment !== undefined && { comment: comment || null }),
      });
  }
  return add.length + change.length + remove.length === 0 ? undefined : { add, change, remove };
}

/** Finds products by a part of the name; each is a button that adds it. */
function ProductsToAdd({ add }: { add(id: string, name: string): void }) {
  const { comanda } = useComanda();
  const own = useTexts(orderEditTexts);
  const { find } = useTexts(productTexts);
  const may = useGranted().may?.('products:read') === true;
  const [filter, setFilter] = useState<Filter>({});
  const search = (filter.product ?? '').trim();
  const { data } = useQuery({
    queryKey: ['products', 'to add', search],
    enabled: may && search !== '',
    queryFn: ({ signal }) => comanda.products.list.query({ search, visible: true, limit: 20 }, { signal }),
  });
  if (!may) return null;
  return (
    <>
      <Filters
        {...{ submit: find, filter, onChange: setFilter }}
        fields={[{ name: 'product', label: own.product }]}
      />
      <div className="deeds">
        {data?.data.map(({ id, name }) => (
          <button key={id} type="button" onClick={() => add(id, name)}>
            + {name}
          </button>
        ))}
      </div>
    </>
  );
}
