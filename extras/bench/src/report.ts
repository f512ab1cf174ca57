import { cpus, totalmem } from 'node:os';
import { goalText, isMet, type Row, shown } from './figure.ts';

/** A whole run, as it is kept in the folder `results`. */
export interface Report {
  date: string;
  machine: string;
  node: string;
  postgres: string;
  /** The checkout that was measured in turns with this one. */
  against?: string;
  rows: Row[];
}

/** Names the machine without naming it: processor, cores, memory. */
export function machine(): string {
  const [first] = cpus();
  return `${first?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 1024 ** 3)} GiB`;
}

/** The run as Markdown. `picture`: the file of its chart. */
export function markdown(report: Report, picture: string): string {
  const { date, machine: where, node, postgres, against, rows } = report;
  const head =
    against === undefined
      ? ['Part', 'Work', 'Goal', 'Seen', 'Met', 'Note']
      : ['Part', 'Work', 'This', 'Against', 'This ÷ against', 'Note'];
  const lines = rows.map((row) => {
    const { part, work, value, unit, note = '', failed } = row;
    const notes = [note, ...(failed === undefined ? [] : [failed])].filter((text) => text !== '').join('; ');
    const middle =
      row.against === undefined
        ? [goalText(row), shown(value, unit), metText(row)]
        : [shown(value, unit), shown(row.against, unit), (value / row.against).toFixed(2)];
    return [part, work, ...middle, notes];
  });
  return [
    `# Bench of ${date}`,
    `${where}; Node ${node}; PostgreSQL ${postgres}. Medians of rounds.${against === undefined ? '' : ` In turns with ${against}.`}`,
    'Ratios hold within this run; absolute figures hold for this machine on this day only.',
    table([head, ...lines]),
    ...(against === undefined ? [`![Every figure against its goal](./${picture})`] : []),
  ].join('\n\n');
}

function metText(row: Row): string {
  if (row.goal === undefined && row.failed === undefined) return '';
  if (isMet(row)) return 'yes';
  return row.why === undefined ? '**no**' : `**no** ([why](${docs}/${row.why}))`;
}

/** From a folder of results. */
const docs = '../../../../docs/bench';

function table([head = [], ...body]: string[][]): string {
  const line = (row: string[]) => `| ${row.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}
