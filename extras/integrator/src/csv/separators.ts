import { UsageError } from '../usage-error.ts';

const signs: Readonly<Record<string, string>> = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' };

/** Every separator that a file may have. */
export const separators: readonly string[] = Object.values(signs);

/** The sign of a separator by its name, or the sign itself. @throws {UsageError} */
export function separatorFrom(text: string): string {
  const sign = signs[text.toLowerCase()] ?? text;
  if (separators.includes(sign)) return sign;
  throw new UsageError(`--separator must be ${Object.keys(signs).join(', ')}`);
}

/** The name of a separator. */
export const separatorName = (sign: string): string =>
  Object.keys(signs).find((name) => signs[name] === sign) ?? sign;
