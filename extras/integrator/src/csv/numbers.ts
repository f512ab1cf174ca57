/** The sign before the decimals. */
export type Mark = 'comma' | 'point';

/** How the numbers of a column are written. */
export interface NumberStyle {
  /** The sign before decimals, as far as the values show it: `mixed` where some can only have one and some only the other. */
  mark: Mark | 'mixed' | undefined;
  /** Whether thousands are set apart. */
  grouped: boolean;
}

/** A number as JSON has it, or why a text is none. */
export type NumberRead = { value: string } | { reason: string };

const groupSigns: Readonly<Record<Mark, string>> = {
  comma: ".'\u2019 \u00a0\u2009\u202f",
  point: ",'\u2019 \u00a0\u2009\u202f",
};

// Every three digits one and the same sign, and none behind a leading zero: 0,125 is no number of thousands.
const shapes = Object.fromEntries(
  (['comma', 'point'] as const).map((mark) => {
    const decimal = mark === 'comma' ? ',' : '\\.';
    return [
      mark,
      new RegExp(
        `^([+-]?)(\\d+|[1-9]\\d{0,2}(?:([${groupSigns[mark]}])\\d{3})(?:\\3\\d{3})*|(?=${decimal}))(?:${decimal}(\\d+))?$`,
      ),
    ];
  }),
) as Readonly<Record<Mark, RegExp>>;

interface Reading {
  value: string;
  grouped: boolean;
}

/** A text as a number, when that sign is before decimals. */
function readBy(mark: Mark, text: string): Reading | undefined {
  const [found, sign = '', whole = '', group, decimals = ''] = shapes[mark].exec(text) ?? [];
  if (found === undefined) return undefined;
  const digits = whole.replace(/\D/g, '').replace(/^0+(?=\d)/, '') || '0';
  const rest = decimals.replace(/0+$/, '');
  const value = `${digits}${rest === '' ? '' : `.${rest}`}`;
  return { value: sign === '-' && value !== '0' ? `-${value}` : value, grouped: group !== undefined };
}

function readingsOf(text: string): Partial<Record<Mark, Reading>> {
  const [comma, point] = [readBy('comma', text), readBy('point', text)];
  return { ...(comma && { comma }), ...(point && { point }) };
}

/** How the numbers of a column are written, by those that can be read in one way only. */
export function styleOf(texts: readonly string[]): NumberStyle {
  const seen = new Set<Mark>();
  let grouped = false;
  for (const text of texts) {
    const { comma, point } = readingsOf(text);
    grouped ||= comma?.grouped === true && (point === undefined || point.grouped);
    grouped ||= point?.grouped === true && comma === undefined;
    if (comma !== undefined && point === undefined) seen.add('comma');
    if (point !== undefined && comma === undefined) seen.add('point');
  }
  return { mark: seen.size === 2 ? 'mixed' : [...seen][0], grouped };
}

/** Reads a number of a column. One that may be two is read as its column is written, else refused. */
export function readNumber(text: string, { mark }: Pick<NumberStyle, 'mark'>, asked?: Mark): NumberRead {
  const readings = readingsOf(text);
  if (asked !== undefined) {
    const read = readings[asked];
    return read ?? { reason: `"${text}" is not a number with a decimal ${asked}` };
  }
  const { comma, point } = readings;
  if (comma === undefined || point === undefined)
    return comma ?? point ?? { reason: `"${text}" is not a number` };
  if (comma.value === point.value) return comma;
  const read = mark === undefined || mark === 'mixed' ? undefined : readings[mark];
  return (
    read ?? {
      reason: `"${text}" may be ${comma.value} or ${point.value}: give --decimal comma or --decimal point`,
    }
  );
}
