import { useEffect, useRef, useState } from 'react';
import { useAct } from '../frame/act.ts';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import type { Category } from './csv-cells.ts';
import type { CsvChange } from './csv-products.ts';
import { csvTexts } from './csv-texts.ts';
import { ChangedSince, writeLine } from './csv-write.ts';
import { Listing } from './listing.tsx';
import { deskTexts } from './texts.ts';

interface Props {
  changes: CsvChange[];
  categories: Category[];
  /** A question about the file is not confirmed yet. */
  isHeld: boolean;
  onWritten(): unknown;
}

/** Writes what was shown, line by line; a line that is refused is listed, and keeps no other from being written. */
export function CsvWriting({ changes, categories, isHeld, onWritten }: Props) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(csvTexts);
  const say = useRefusal();
  const [done, setDone] = useState<number>();
  const [left, setLeft] = useState<{ change: CsvChange; why: string }[]>([]);
  const stopping = useRef(new AbortController());
  // Lines of a file whose screen was left are not written behind its back.
  useEffect(() => () => stopping.current.abort(), []);
  const { act, isPending } = useAct({
    mutationFn: async () => {
      stopping.current = new AbortController();
      const { signal } = stopping.current;
      // Not randomUUID, which pages without TLS do not have.
      const attempt = crypto.getRandomValues(new Uint32Array(4)).join('-');
      let written = 0;
      setDone(0);
      for (const change of changes) {
        try {
          if (signal.aborted) throw new Error('stopped');
          await writeLine(comanda, change, categories, attempt, signal);
          written += 1;
          setDone(written);
        } catch (error) {
          const why = signal.aborted
            ? own.stopped
            : error instanceof ChangedSince
              ? own.isNow(error.now)
              : say(error);
          setLeft((before) => [...before, { change, why }]);
        }
      }
    },
    onSettled: onWritten,
  });
  return (
    <>
      <div className="deeds">
        {done === undefined && (
          <button type="button" className="primary" disabled={isPending || isHeld} onClick={() => act()}>
            {own.write}
          </button>
        )}
        {isPending && (
          <button type="button" onClick={() => stopping.current.abort()}>
            {own.stop}
          </button>
        )}
      </div>
      <p role="status">
        {done !== undefined && (isPending ? own.progress(done, changes.length) : own.written(done))}
      </p>
      {left.length > 0 && (
        <Listing
          caption={own.notWritten}
          rows={{ data: left, total: left.length, error: null, isReading: false }}
          keyOf={({ change }) => String(change.line)}
          columns={[
            { title: texts.name, cell: ({ change }) => change.name },
            { title: own.line, cell: ({ change }) => change.line },
            { title: own.problem, cell: ({ why }) => why },
          ]}
        />
      )}
    </>
  );
}
