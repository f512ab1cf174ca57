import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { ExactTime } from '../frame/time.tsx';
import { momentAt } from './clock.ts';
import { Deed } from './deed.tsx';
import { EditForm } from './edit-form.tsx';
import { Folded } from './folded.tsx';
import { Listing } from './listing.tsx';
import { numberIn } from './number-in.ts';
import { priceTexts } from './price-texts.ts';
import { deskTexts } from './texts.ts';

/** A price that a product is to get. */
export interface PlannedPrice {
  id: string;
  at: string;
  price: number;
  /** The change in percent, of a plan for a category. */
  percent?: number | undefined;
  /** Who planned it, where that may be read. */
  by?: string | undefined;
}

/** Each is read by itself for its prices. */
const mostRead = 50;

/** The planned prices of a product, the next one first: among the newest 50 plans that are to take place, of the newest 200. */
export function usePlannedPrices(productId: string) {
  const { comanda } = useComanda();
  const mayAudit = useGranted().may?.('audit:read');
  return useQuery({
    queryKey: ['planned prices', productId, mayAudit],
    enabled: mayAudit !== undefined,
    // priceChanges.list has no filter by product, and its entries have no prices.
    async queryFn({ signal }): Promise<readonly PlannedPrice[]> {
      const { data: plans } = await comanda.priceChanges.list.query({ limit: 200 }, { signal });
      const found = await Promise.all(
        plans
          .filter(({ status }) => status === 'planned')
          .slice(0, mostRead)
          .map(async ({ id, effective_at: at, percent }) => {
            const { prices } = await comanda.priceChanges.get.query({ id }, { signal });
            const own = prices.find(({ product_id }) => product_id === productId);
            if (own === undefined) return [];
            const { before, price = before * (1 + (percent ?? 0) / 100) } = own;
            const entries = mayAudit && (await comanda.audit.list.query({ about: id, limit: 1 }, { signal }));
            return [{ id, at, price, percent, by: entries ? entries.data[0]?.by : undefined }];
          }),
      );
      return found.flat().toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
    },
  });
}

interface Props {
  productId: string;
  planned: readonly PlannedPrice[];
  isReadOnly: boolean;
}

/** The planned prices of a product, each of which may be canceled, and a form that plans one. */
export function PlannedPrices({ productId, planned, isReadOnly }: Props) {
  const { comanda, session } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(priceTexts);
  const format = useFormat();
  // Not randomUUID, which pages without TLS do not have.
  const [attempt, setAttempt] = useState(Math.random);
  return (
    <>
      <h3>{own.planned}</h3>
      {planned.length === 0 ? (
        <p className="quiet">{own.none}</p>
      ) : (
        <Listing
          caption={own.planned}
          isTitled
          rows={{ data: [...planned], total: planned.length, error: null, isReading: false }}
          keyOf={({ id }) => id}
          columns={[
            { title: own.when, cell: ({ at }) => <ExactTime at={at} /> },
            {
              title: own.newPrice,
              isNumber: true,
              cell: ({ price, percent }) => (
                <>
                  {format.money(price)}{' '}
                  {percent !== undefined && (
                    <span className="quiet">{own.withCategory(format.change(percent / 100))}</span>
                  )}
                </>
              ),
            },
            { title: own.who, cell: ({ by }) => by },
            {
              title: texts.deed,
              cell: ({ id, at, price }) =>
                !isReadOnly && (
                  <Deed
                    label={own.cancel}
                    of={own.cancelOf(format.money(price), format.exact(at))}
                    act={() => comanda.priceChanges.cancel.mutate({ id })}
                  />
                ),
            },
          ]}
        />
      )}
      {!isReadOnly && (
        <Folded summary={own.plan}>
          <p className="quiet">{own.means}</p>
          <EditForm
            label={own.plan}
            submit={own.submit}
            isReadOnly={false}
            fields={[
              { name: 'price', label: own.newPrice, kind: 'amount' },
              { name: 'at', label: own.from, kind: 'moment' },
            ]}
            known={{ price: '', at: '' }}
            save={async ({ price = '', at = '' }) => {
              await comanda.priceChanges.create.mutate({
                effective_at: momentAt(at, session.location.timezone),
                prices: [{ product_id: productId, price: numberIn(price) }],
                // A form that is sent again without an answer plans one price.
                idempotencyKey: `desk price ${price} ${at} ${attempt}`,
              });
              setAttempt(Math.random);
            }}
          />
        </Folded>
      )}
    </>
  );
}
