import type { ReactNode } from 'react';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { frameTexts } from '../frame/texts.ts';
import { deskTexts } from './texts.ts';

interface Column<Row> {
  title: string;
  cell(row: Row): ReactNode;
}

interface Props<Row> {
  /** Names the table. */
  caption: string;
  columns: readonly Column<Row>[];
  query: { data: { data: Row[]; pagination: { total: number } } | undefined; error: unknown };
  keyOf(row: Row): string;
}

/** A page of rows as a table, the first column its row's name; or why there is none. */
export function Listing<Row>({ caption, columns, query: { data, error }, keyOf }: Props<Row>) {
  const texts = useTexts(deskTexts);
  const frame = useTexts(frameTexts);
  const say = useRefusal();
  if (data === undefined)
    return <p role={error ? 'alert' : undefined}>{error ? say(error) : frame.loading}</p>;
  if (data.data.length === 0) return <p>{texts.none}</p>;
  const [first, ...others] = columns;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls a wide table by keys.
    <section className="wide" aria-label={caption} tabIndex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.data.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">{first?.cell(row)}</th>
              {others.map(({ title, cell }) => (
                <td key={title} data-title={title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {data.pagination.total > data.data.length && (
        <p className="quiet">{texts.more(data.pagination.total - data.data.length)}</p>
      )}
    </section>
  );
}
