import type { ComandaClient } from '@comanda/client';
import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { Time } from '../frame/time.tsx';
import { Changes } from './changes.tsx';
import { historyPath } from './history-path.ts';
import { Listing } from './listing.tsx';
import { usePages } from './pages.ts';
import { deskTexts } from './texts.ts';
import { Undo } from './undo.tsx';

type Entry = Awaited<ReturnType<ComandaClient['audit']['list']['query']>>['data'][number];

interface Props {
  /** Names the table. */
  caption: string;
  /** Which entries: of a person or key, of a table, or those of one row; else of all people. */
  wanted: { by?: string; table?: string } | { about: string };
}

/** Entries of the audit, newest first; manual edits may be undone. */
export function AuditEntries({ caption, wanted }: Props) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const rows = usePages(['audit', wanted], (offset, signal) =>
    comanda.audit.list.query({ limit: 100, offset, ...wanted }, { signal }),
  );
  return (
    <Listing
      caption={caption}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { title: texts.madeAt, cell: ({ created_at }) => <Time at={created_at} /> },
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

const withHistory = ['products', 'product_stock', 'product_categories', 'categories', 'subselection_items'];

/**
 * The operation and its subject by name, the first of several; an order's number leads to the order, a product's or
 * category's name to its history.
 */
function What({ operation, table, resource_id, resource_name: name, row_count: count = 1 }: Entry) {
  const texts = useTexts(deskTexts);
  const { may } = useGranted();
  const about = table ?? operation.split('.', 1)[0] ?? '';
  const isOrder = resource_id !== undefined && ['orders', 'order_items', 'payments'].includes(about);
  const hasHistory = resource_id !== undefined && withHistory.includes(about);
  return (
    <>
      {[operation, table].filter(Boolean).join(' ')}{' '}
      <strong>
        {isOrder && name && may?.('orders:read') ? (
          <Link to={`/app/desk/orders/${name}`}>{name}</Link>
        ) : hasHistory ? (
          <Link to={historyPath(resource_id)}>{name ?? resource_id}</Link>
        ) : (
          name
        )}
      </strong>
      {count > 1 && ` ${texts.rows(count)}`}
    </>
  );
}
