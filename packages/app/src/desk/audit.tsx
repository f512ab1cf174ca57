import type { ComandaClient } from '@comanda/client';
import { useState } from 'react';
import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { Changes } from './changes.tsx';
import { Listing } from './listing.tsx';
import { usePages } from './pages.ts';
import { deskTexts } from './texts.ts';
import { Undo } from './undo.tsx';
import { useWhen } from './when.ts';

type Entry = Awaited<ReturnType<ComandaClient['audit']['list']['query']>>['data'][number];

/** Who changed what, by a procedure, at the command line or by hand; what a hand did may be undone. */
export function Audit() {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const when = useWhen();
  const [by, setBy] = useState('');
  const wanted = by.trim();
  const rows = usePages(['audit', wanted], (offset, signal) =>
    comanda.audit.list.query({ limit: 100, offset, ...(wanted !== '' && { by: wanted }) }, { signal }),
  );
  return (
    <>
      <search>
        <label>
          {texts.byWhom}
          <input value={by} onChange={({ target }) => setBy(target.value)} autoComplete="off" />
        </label>
      </search>
      <p className="quiet">{texts.movesElsewhere}</p>
      <Listing
        caption={texts.parts.audit}
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.madeAt, cell: ({ created_at }) => when(created_at) },
          { title: texts.who, cell: Who },
          { title: texts.what, cell: What },
          { title: texts.changes, cell: (entry) => <Changes {...entry} /> },
          {
            title: texts.deed,
            cell: ({ id, can_undo, cannot_undo }) =>
              can_undo ? <Undo id={id} /> : <span className="quiet">{cannot_undo}</span>,
          },
        ]}
      />
    </>
  );
}

/** The name of the person or key, whether it is known, and over which login it came. */
function Who({ actor, by, by_known, role }: Entry) {
  const texts = useTexts(deskTexts);
  return (
    [by, by !== undefined && by_known === false && texts.stated, role !== by && role]
      .filter(Boolean)
      .join(' ') || actor
  );
}

/** What was done to what, by its name, the first of several; an order's number leads to the order. */
function What({ operation, table, resource_id, resource_name: name, row_count: count = 1 }: Entry) {
  const texts = useTexts(deskTexts);
  const { may } = useGranted();
  const isOrder =
    resource_id !== undefined &&
    ['orders', 'order_items', 'payments'].includes(table ?? operation.split('.', 1)[0] ?? '');
  return (
    <>
      {[operation, table].filter(Boolean).join(' ')}{' '}
      <strong>
        {isOrder && name && may?.('orders:read') ? <Link to={`/app/desk/orders/${name}`}>{name}</Link> : name}
      </strong>
      {count > 1 && ` ${texts.rows(count)}`}
    </>
  );
}
