import { useEffect, useRef, useState } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { ChangedRows, type Entry } from './audit-sentence.tsx';
import { auditTexts } from './audit-texts.ts';
import { Deed } from './deed.tsx';
import { deskTexts } from './texts.ts';

/** Undoes a manual edit with all its rows: first the values to write are shown, then they are written. */
export function Undo({ entry: { id, row_count: count = 1 } }: { entry: Entry }) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(auditTexts);
  const rehearse = () => comanda.audit.undo.mutate({ id, dry_run: true });
  const [rehearsed, setRehearsed] = useState<Awaited<ReturnType<typeof rehearse>>>();
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef(rehearsed);
  // The button that was pressed is gone: a keyboard user goes on at its former place.
  useEffect(() => {
    if (shown.current !== rehearsed) place.current?.focus();
    shown.current = rehearsed;
  }, [rehearsed]);
  return (
    <div ref={place} tabIndex={-1} className="deeds">
      {rehearsed === undefined ? (
        <Deed label={texts.undo} act={rehearse} onDone={setRehearsed} />
      ) : (
        <>
          <p>
            {own.wouldWrite(count)} {count > 1 && own.undoMeans}
          </p>
          {rehearsed.entries.map((entry) => (
            <ChangedRows key={entry.id} entry={entry} namesOf={id} />
          ))}
          <button type="button" onClick={() => setRehearsed(undefined)}>
            {texts.keep}
          </button>
          <Deed
            label={texts.undoNow}
            act={() => comanda.audit.undo.mutate({ id })}
            onDone={() => setRehearsed(undefined)}
          />
        </>
      )}
    </div>
  );
}
