import { listAll } from '@comanda/client';
import { useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, useEffect, useRef, useState } from 'react';
import { useAct } from '../frame/act.ts';
import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useLanguage, useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { type Category, cellsOf, csvColumns, type Product } from './csv-cells.ts';
import { CsvDifference, CsvProblems, CsvRewritten, kindsIn } from './csv-problems.tsx';
import { type CsvChange, type CsvProblem, compare } from './csv-products.ts';
import type { Rewriting, Rewritten } from './csv-rewritten.ts';
import { CsvFault, readCsv, textOf, writeCsv } from './csv-text.ts';
import { csvTexts } from './csv-texts.ts';
import { CsvWriting } from './csv-writing.tsx';
import { productTexts } from './product-texts.ts';

const largest = 5_000_000;

/** The contents of a file, with the categories that it was read with. */
interface Compared {
  changes: CsvChange[];
  same: number;
  problems: CsvProblem[];
  rewritten: Rewritten[];
  categories: Category[];
}

/** Products as a file: all of them to a spreadsheet, and from one, after the difference is shown. */
export function ProductsCsv() {
  const { comanda, session } = useComanda();
  const { language } = useLanguage();
  const own = useTexts(csvTexts);
  const products = useTexts(productTexts);
  const say = useRefusal();
  const queries = useQueryClient();
  const may = useGranted().may?.('products:write') === true;
  const [compared, setCompared] = useState<Compared>();
  const [confirmed, setConfirmed] = useState<ReadonlySet<Rewriting>>(new Set());
  const [isTooLarge, setTooLarge] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const read = async () => {
    const all: { products: Product[]; categories: Category[] } = { products: [], categories: [] };
    for await (const each of listAll(comanda.categories.list, {})) all.categories.push(each);
    for await (const each of listAll(comanda.products.list, {})) all.products.push(each);
    return all;
  };
  const download = useAct({
    mutationFn: async () => {
      const all = await read();
      const decimal = decimalOf(language);
      const rows = all.products.map((product) => {
        const cells = cellsOf(product, all.categories, decimal);
        return csvColumns.map((column) => cells[column]);
      });
      save(
        writeCsv([csvColumns, ...rows], decimal === ',' ? ';' : ','),
        `${session.location.name} products.csv`,
      );
    },
  });
  const look = useAct({
    mutationFn: async (file: File): Promise<Compared> => {
      const text = textOf(await file.arrayBuffer());
      try {
        const rows = readCsv(text);
        const all = await read();
        return { ...compare(rows, all.products, all.categories), categories: all.categories };
      } catch (error) {
        if (!(error instanceof CsvFault)) throw error;
        const problems: CsvProblem[] = [{ line: error.line, reason: 'notCsv' }];
        return { changes: [], same: 0, problems, rewritten: [], categories: [] };
      }
    },
    onSuccess: (read) => {
      setCompared(read);
      setConfirmed(new Set());
    },
  });
  useEffect(() => {
    if (compared !== undefined) place.current?.focus();
  }, [compared]);
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    setCompared(undefined);
    setTooLarge(file !== undefined && file.size > largest);
    if (file !== undefined && file.size <= largest) look.act(file);
    // The same file may be chosen again, once it is corrected.
    target.value = '';
  };
  const error = look.error ?? download.error;
  return (
    <article className="order" aria-label={own.title}>
      <h2>{own.title}</h2>
      <div className="deeds">
        <button type="button" disabled={download.isPending} onClick={() => download.act()}>
          {own.download}
        </button>
      </div>
      {may && (
        <label>
          {own.choose}
          <input type="file" accept=".csv,text/csv" disabled={look.isPending} onChange={choose} />
        </label>
      )}
      {may && <p className="quiet">{own.means}</p>}
      <p className="fault" role="alert">
        {isTooLarge ? own.tooLarge : error && say(error)}
      </p>
      <div ref={place} tabIndex={-1}>
        {look.isPending && <p>{own.reading}</p>}
        {compared !== undefined && compared.problems.length > 0 && (
          <CsvProblems problems={compared.problems} />
        )}
        {compared !== undefined && compared.problems.length === 0 && (
          <>
            <p>
              {own.summary(
                compared.changes.filter(({ id }) => id === undefined).length,
                compared.changes.filter(({ id }) => id !== undefined).length,
                compared.same,
              )}
            </p>
            {compared.changes.length > 0 && (
              <>
                <CsvDifference changes={compared.changes} />
                {compared.rewritten.length > 0 && (
                  <CsvRewritten
                    rewritten={compared.rewritten}
                    confirmed={confirmed}
                    onConfirm={(kind, isRight) => {
                      const others = [...confirmed].filter((each) => each !== kind);
                      setConfirmed(new Set(isRight ? [...others, kind] : others));
                    }}
                  />
                )}
                <CsvWriting
                  {...compared}
                  isHeld={kindsIn(compared.rewritten).some((kind) => !confirmed.has(kind))}
                  onWritten={() => queries.invalidateQueries()}
                />
              </>
            )}
          </>
        )}
      </div>
      <p>
        <Link to="/app/desk/products">{products.allProducts}</Link>
      </p>
    </article>
  );
}

/** How the browser's own country writes decimals, where it speaks the language: Excel there reads semicolons as well. */
function decimalOf(language: string): '.' | ',' {
  const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
  return new Intl.NumberFormat(locale).format(0.5).includes(',') ? ',' : '.';
}

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
