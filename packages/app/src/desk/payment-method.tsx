import type { ComandaClient } from '@comanda/client';
import { useQuery } from '@tanstack/react-query';
import { dayTexts } from '../day/texts.ts';
import { goTo, Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { Unread } from '../frame/skeleton.tsx';
import { useRowTitle } from '../frame/title.ts';
import { Deed } from './deed.tsx';
import { type EditField, EditForm } from './edit-form.tsx';
import { paymentMethodTexts } from './payment-method-texts.ts';
import { deskTexts } from './texts.ts';

type Method = Awaited<ReturnType<ComandaClient['paymentMethods']['get']['query']>>;
type Field = 'name' | 'type' | 'enabled';

/** A payment method: its fields, and its end. */
export function PaymentMethodView({ id }: { id: string }) {
  const { comanda } = useComanda();
  const own = useTexts(paymentMethodTexts);
  const say = useRefusal();
  const notify = useNotify();
  const fields = useFields();
  const may = useGranted().may?.('payment_methods:write') === true;
  const read = (signal?: AbortSignal) => comanda.paymentMethods.get.query({ id }, { signal });
  const { data, error } = useQuery({
    queryKey: ['payment method', id],
    queryFn: ({ signal }) => read(signal),
  });
  useRowTitle(data?.name);
  if (data === undefined) return <Unread {...{ error, say }} />;
  const { name } = data;
  return (
    <article className="order" aria-label={name}>
      <h2>{name}</h2>
      <EditForm
        label={name}
        isReadOnly={!may}
        fields={fields}
        known={textsOf(data)}
        // A payment method has no tag.
        readNow={async () => textsOf(await read())}
        save={({ enabled, type, name: typed }) =>
          comanda.paymentMethods.update.mutate({
            id,
            ...(typed !== undefined && { name: typed.trim() }),
            ...(type !== undefined && { type: type as Method['type'] }),
            ...(enabled !== undefined && { enabled: enabled === 'true' }),
          })
        }
      />
      {may && (
        <div className="deeds">
          <Deed
            label={own.delete}
            of={name}
            question={{ title: own.sureToDelete(name), text: own.deleteMeans }}
            act={() => comanda.paymentMethods.delete.mutate({ id })}
            onDone={() => {
              notify(name, own.deleted);
              goTo('/app/desk/payment-methods');
            }}
          />
        </div>
      )}
      <p>
        <Link to="/app/desk/payment-methods">{own.allMethods}</Link>
      </p>
    </article>
  );
}

/** Makes a payment method. */
export function NewPaymentMethod() {
  const { comanda } = useComanda();
  const own = useTexts(paymentMethodTexts);
  const fields = useFields();
  return (
    <EditForm
      label={own.make}
      submit={own.make}
      isReadOnly={false}
      fields={fields}
      known={textsOf({ name: '', type: 'cash', enabled: true })}
      save={({ name = '', type = 'cash', enabled = 'true' }) =>
        comanda.paymentMethods.create.mutate({
          name: name.trim(),
          type: type as Method['type'],
          enabled: enabled === 'true',
        })
      }
    />
  );
}

const textsOf = ({ name, type, enabled }: Pick<Method, Field>): Record<Field, string> => ({
  name,
  type,
  enabled: String(enabled),
});

function useFields(): EditField<Field>[] {
  const texts = useTexts(deskTexts);
  const own = useTexts(paymentMethodTexts);
  const { methods } = useTexts(dayTexts);
  return [
    { name: 'name', label: texts.name },
    {
      name: 'type',
      label: own.type,
      kind: { options: Object.entries(methods).map(([value, label]) => ({ value, label })) },
    },
    { name: 'enabled', label: own.isOffered, kind: 'check' },
  ];
}
