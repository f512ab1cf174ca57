import { dayTexts } from '../day/texts.ts';
import { Link } from '../frame/address.tsx';
import { Badge } from '../frame/badge.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { Deed } from './deed.tsx';
import { Listing } from './listing.tsx';
import { usePages } from './pages.ts';
import { NewPaymentMethod, PaymentMethodView } from './payment-method.tsx';
import { paymentMethodTexts } from './payment-method-texts.ts';
import { useRowIn } from './row-path.ts';
import { deskTexts } from './texts.ts';

const base = '/app/desk/payment-methods';

/** The payment methods, and the one that the address names. */
export function PaymentMethods() {
  const id = useRowIn(base);
  return id === '' ? <PaymentMethodList /> : <PaymentMethodView key={id} id={id} />;
}

/** Each is offered to new orders or not. */
function PaymentMethodList() {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(paymentMethodTexts);
  const { methods } = useTexts(dayTexts);
  const may = useGranted().may?.('payment_methods:write') === true;
  const rows = usePages(['payment methods'], (offset, signal) =>
    comanda.paymentMethods.list.query({ limit: 50, offset }, { signal }),
  );
  return (
    <>
      {may && <NewPaymentMethod />}
      <Listing
        caption={texts.parts.payment_methods}
        isTitled
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.name, cell: ({ id, name }) => <Link to={`${base}/${id}`}>{name}</Link> },
          { title: own.type, cell: ({ type }) => methods[type] },
          {
            title: texts.status,
            cell: ({ enabled }) => (
              <Badge tone={enabled ? 'good' : 'quiet'}>{enabled ? own.offered : own.notOffered}</Badge>
            ),
          },
          {
            title: texts.deed,
            cell: ({ id, name, enabled }) =>
              may && (
                <Deed
                  label={enabled ? own.disable : own.enable}
                  of={name}
                  act={() => comanda.paymentMethods.update.mutate({ id, enabled: !enabled })}
                />
              ),
          },
        ]}
      />
    </>
  );
}
