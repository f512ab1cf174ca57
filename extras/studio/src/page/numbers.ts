/** The fault of a text where a number belongs; null when it is one, or empty where the column may be empty. */
export function numberFault(column: string, text: string, mayBeEmpty: boolean): string | null {
  const written = text.trim();
  if (written === '')
    return mayBeEmpty ? null : `${column}: an empty cell is no number. Write 0 for zero. ${unchanged}`;
  if (isNumber(written)) return null;
  const shown = written.length > 40 ? `${written.slice(0, 40)}…` : written;
  const withPoint = written.replace(',', '.');
  return isNumber(withPoint)
    ? `${column}: decimals follow a point, not a comma. Write ${withPoint} for ${shown}. ${unchanged}`
    : `${column}: "${shown}" is no number. Write digits, and a point before decimals: 12.50. ${unchanged}`;
}

const isNumber = (text: string): boolean => /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text);

const unchanged = 'Nothing was changed.';
