import { Link, usePath } from '../frame/address.tsx';
import { useTexts } from '../frame/language.tsx';
import { AuditEntries } from './audit-entries.tsx';
import { auditTexts } from './audit-texts.ts';
import { useFilter } from './filter.tsx';
import { rowAt } from './history-path.ts';
import { RowHistory } from './row-history.tsx';
import { deskTexts } from './texts.ts';

/** The tables that filter the audit, as its entries name them; with one, changes by programs are shown, too. */
const tables = [
  'products',
  'product_stock',
  'product_categories',
  'categories',
  'subselections',
  'subselection_items',
  'menus',
  'orders',
  'payments',
  'payment_methods',
  'turns',
  'locations',
  'webhook_endpoints',
  'api_keys',
] as const;

/**
 * Changes and their authors, by a procedure, at the command line or by hand; at the address of a row, the history of
 * that row.
 */
export function Audit() {
  const texts = useTexts(deskTexts);
  const own = useTexts(auditTexts);
  const row = rowAt(usePath());
  const [filter, setFilter] = useFilter('audit');
  const by = filter.by?.trim() ?? '';
  const table = tables.find((each) => each === filter.table);
  if (row !== undefined)
    return (
      <>
        <p>
          <Link to="/app/desk/audit">← {texts.parts.audit}</Link>
        </p>
        <RowHistory id={row} />
      </>
    );
  return (
    <>
      <search>
        <label>
          {texts.byWhom}
          <input
            value={filter.by ?? ''}
            onChange={({ target }) => setFilter({ ...filter, by: target.value })}
            autoComplete="off"
          />
        </label>
        <label>
          {own.table}
          <select
            value={table ?? ''}
            onChange={({ target }) => setFilter({ ...filter, table: target.value })}
          >
            <option value="">{own.all}</option>
            {tables.map((each) => (
              <option key={each} value={each}>
                {own.tables[each]?.[1] ?? each}
              </option>
            ))}
          </select>
        </label>
      </search>
      <p className="quiet">{texts.movesElsewhere}</p>
      <AuditEntries
        caption={texts.parts.audit}
        wanted={{ ...(by !== '' && { by }), ...(table !== undefined && { table }) }}
      />
    </>
  );
}
