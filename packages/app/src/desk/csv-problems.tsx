import { useTexts } from '../frame/language.tsx';
import type { CsvChange, CsvProblem } from './csv-products.ts';
import { csvTexts } from './csv-texts.ts';
import { Listing } from './listing.tsx';
import { deskTexts } from './texts.ts';

/** Rows that are all there at once. */
const allOf = <Row,>(data: Row[]) => ({ data, total: data.length, error: null, isReading: false });

/** Why a file is not taken, by line and column. */
export function CsvProblems({ problems }: { problems: CsvProblem[] }) {
  const own = useTexts(csvTexts);
  return (
    <Listing
      caption={own.problems}
      rows={allOf(problems)}
      keyOf={({ line, column, reason }) => `${line} ${column} ${reason}`}
      columns={[
        { title: own.line, cell: ({ line }) => line },
        { title: own.column, cell: ({ column }) => column },
        { title: own.problem, cell: ({ reason, what = '' }) => own.reasons[reason](what) },
      ]}
    />
  );
}

/** The changes that a file would write, line by line. */
export function CsvDifference({ changes }: { changes: CsvChange[] }) {
  const texts = useTexts(deskTexts);
  const own = useTexts(csvTexts);
  return (
    <Listing
      caption={own.difference}
      rows={allOf(changes)}
      keyOf={({ line }) => String(line)}
      columns={[
        { title: texts.name, cell: ({ before, name }) => before?.name ?? name },
        { title: own.line, cell: ({ line }) => line },
        { title: texts.status, cell: ({ id }) => (id === undefined ? own.makes : own.changes) },
        {
          title: texts.changes,
          cell: ({ columns, before, after }) => (
            <ul className="changes">
              {columns.map((column) => (
                <li key={column}>
                  {column}: {before?.[column] || '–'} → {after[column] || '–'}
                </li>
              ))}
            </ul>
          ),
        },
      ]}
    />
  );
}
