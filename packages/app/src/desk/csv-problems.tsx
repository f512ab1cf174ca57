import { useTexts } from '../frame/language.tsx';
import type { CsvChange, CsvProblem } from './csv-products.ts';
import { type Rewriting, type Rewritten, rewritings } from './csv-rewritten.ts';
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

/** The kinds of rewriting that occur. */
export const kindsIn = (rewritten: readonly Rewritten[]): Rewriting[] =>
  rewritings.filter((kind) => rewritten.some((each) => each.kind === kind));

interface Questions {
  rewritten: Rewritten[];
  confirmed: ReadonlySet<Rewriting>;
  onConfirm(kind: Rewriting, isRight: boolean): void;
}

/** The identifiers that a spreadsheet may have rewritten, and a confirmation for each kind. */
export function CsvRewritten({ rewritten, confirmed, onConfirm }: Questions) {
  const own = useTexts(csvTexts);
  return (
    <>
      <Listing
        caption={own.rewritten}
        rows={allOf(rewritten)}
        keyOf={({ line, column }) => `${line} ${column}`}
        columns={[
          { title: own.identifier, cell: ({ text }) => text },
          { title: own.line, cell: ({ line }) => line },
          { title: own.column, cell: ({ column }) => column },
          {
            title: own.problem,
            cell: ({ kind, there }) =>
              [own.rewrites[kind].problem, ...(there === undefined ? [] : [own.isLike(there)])].join(' '),
          },
        ]}
      />
      <p className="quiet">{own.rewrittenMeans}</p>
      {kindsIn(rewritten).map((kind) => (
        <label key={kind} className="check">
          <input
            type="checkbox"
            checked={confirmed.has(kind)}
            onChange={({ target }) => onConfirm(kind, target.checked)}
          />
          {own.rewrites[kind].confirm(rewritten.filter((each) => each.kind === kind).length)}
        </label>
      ))}
    </>
  );
}
