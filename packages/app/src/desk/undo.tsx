import { useState } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { Changes } from './changes.tsx';
import { Deed } from './deed.tsx';
import { deskTexts } from './texts.ts';

/** Undoes what a hand did: first what would be written is shown, then it is. */
export function Undo({ id }: { id: string }) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const [rehearsed, setRehearsed] = useState<Awaited<ReturnType<typeof rehearse>>>();
  const rehearse = () => comanda.audit.undo.mutate({ id, dry_run: true });
  if (rehearsed === undefined) return <Deed label={texts.undo} act={rehearse} onDone={setRehearsed} />;
  return (
    <div className="deeds">
      <p>{texts.wouldWrite}</p>
      {rehearsed.entries.map((entry) => (
        <Changes key={entry.id} {...entry} />
      ))}
      <button type="button" onClick={() => setRehearsed(undefined)}>
        {texts.keep}
      </button>
      <Deed
        label={texts.undoNow}
        act={() => comanda.audit.undo.mutate({ id })}
        onDone={() => setRehearsed(undefined)}
      />
    </div>
  );
}
