import { TurnPanel } from '../day/turn-panel.tsx';
import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { Time } from '../frame/time.tsx';
import { Listing } from './listing.tsx';
import { usePages } from './pages.ts';
import { useRowIn } from './row-path.ts';
import { SettlementView } from './settlement.tsx';
import { deskTexts } from './texts.ts';
import { turnTexts } from './turn-texts.ts';

const base = '/app/desk/turns';

/** The open turn, which is closed here, and the settlements of those before; or the settlement that the address names. */
export function Turns() {
  const id = useRowIn(base);
  const { may } = useGranted();
  if (id !== '') return <SettlementView key={id} id={id} />;
  return (
    <>
      <TurnPanel />
      {may?.('settlements:read') === true && <Settlements />}
    </>
  );
}

function Settlements() {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(turnTexts);
  const format = useFormat();
  const rows = usePages(['settlements'], (offset, signal) =>
    comanda.settlements.list.query({ limit: 50, offset }, { signal }),
  );
  return (
    <Listing
      caption={own.closed}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.turn,
          cell: ({ id, batch_number }) => <Link to={`${base}/${id}`}>{own.turn(batch_number)}</Link>,
        },
        { title: own.started, cell: ({ started_at }) => <Time at={started_at} /> },
        { title: own.ended, cell: ({ ended_at }) => ended_at && <Time at={ended_at} /> },
        { title: own.orders, isNumber: true, cell: ({ total_orders }) => total_orders },
        {
          title: own.collected,
          isNumber: true,
          cell: ({ total_collected }) => total_collected !== undefined && format.money(total_collected),
        },
      ]}
    />
  );
}
