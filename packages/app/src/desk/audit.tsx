import { useState } from 'react';
import { Link, usePath } from '../frame/address.tsx';
import { useTexts } from '../frame/language.tsx';
import { AuditEntries } from './audit-entries.tsx';
import { rowAt } from './history-path.ts';
import { RowHistory } from './row-history.tsx';
import { deskTexts } from './texts.ts';

/** Who changed what, by a procedure, at the command line or by hand; at the address of a row, the history of that row. */
export function Audit() {
  const texts = useTexts(deskTexts);
  const row = rowAt(usePath());
  const [by, setBy] = useState('');
  const wanted = by.trim();
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
          <input value={by} onChange={({ target }) => setBy(target.value)} autoComplete="off" />
        </label>
      </search>
      <p className="quiet">{texts.movesElsewhere}</p>
      <AuditEntries caption={texts.parts.audit} wanted={wanted === '' ? {} : { by: wanted }} />
    </>
  );
}
