import type { FocusEvent, ReactNode } from 'react';
import { EmptyState } from '../frame/empty.tsx';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { Unread } from '../frame/skeleton.tsx';
import type { Rows } from './pages.ts';
import { deskTexts } from './texts.ts';

interface Column<Row> {
  title: string;
  /** Amounts and counts stand at the end of their column, one digit below the other. */
  isNumber?: true;
  cell(row: Row): ReactNode;
}

interface Props<Row> {
  /** Names the table. */
  caption: string;
  /** A heading above says the same: the caption is for a person that cannot see it. */
  isTitled?: boolean;
  columns: readonly Column<Row>[];
  rows: Rows<Row>;
  /** What is shown where there are no rows: what the person can do. */
  empty?: ReactNode;
  keyOf(row: Row): string;
}

/** Rows as a table, the first column its row's name; or why there are none. A button reads more of them. */
export function Listing<Row>({ caption, isTitled, columns, rows, empty, keyOf }: Props<Row>) {
  const { data, total, error, more, isReading } = rows;
  const texts = useTexts(deskTexts);
  const say = useRefusal();
  if (data === undefined) return <Unread {...{ error, say }} />;
  if (data.length === 0)
    return (
      <section className="wide" aria-label={caption}>
        {!isTitled && <h3>{caption}</h3>}
        {empty ?? <EmptyState title={texts.none} />}
      </section>
    );
  const [first, ...others] = columns;
  // A row made between two pages moves from one to the next.
  const shown = [...new Map(data.map((row) => [keyOf(row), row])).values()];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls a wide table by keys.
    <section className="wide" aria-label={caption} tabIndex={0} onFocus={showBeginning}>
      <table>
        <caption className={isTitled ? 'unseen' : undefined}>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" className={isNumber && 'end'}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">{first !== undefined && <Cell cell={first.cell} row={row} />}</th>
              {others.map(({ title, isNumber, cell }) => (
                <td key={title} data-title={title} className={isNumber && 'end'}>
                  <Cell cell={cell} row={row} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {error !== null && (
        <p className="fault" role="alert">
          {say(error)}
        </p>
      )}
      {more && (
        <button type="button" disabled={isReading} onClick={more}>
          {texts.more(total - data.length)}
        </button>
      )}
    </section>
  );
}

/** A table taller than the screen that Tab leads to is shown from its beginning: browsers would show its middle. */
function showBeginning({ target, currentTarget }: FocusEvent<HTMLElement>): void {
  if (target === currentTarget && target.matches(':focus-visible') && target.offsetHeight > innerHeight / 2)
    target.scrollIntoView();
}

// A component of its own: what a cell asks of React is the cell's, however many rows there are.
function Cell<Row>({ cell, row }: { cell: Column<Row>['cell']; row: Row }) {
  return cell(row);
}
