/** A long number as spreadsheets shorten it: `1.23E+18`. */
const shortened = /^\d([.,]\d+)?E\+\d+$/i;
const digits = /^\d+$/;

/** How a spreadsheet may have changed an identifier. */
export const rewritings = ['shortened', 'zeros'] as const;
export type Rewriting = (typeof rewritings)[number];

/** An identifier of a file that a spreadsheet may have rewritten. */
export interface Rewritten {
  line: number;
  column: string;
  text: string;
  kind: Rewriting;
  /** Of `zeros`: the existing identifier from which it differs by leading zeros alone. */
  there?: string | undefined;
}

/** Identifiers that exist. */
export class KnownIds {
  readonly #all = new Set<string>();
  readonly #byDigits = new Map<string, string>();

  add(id: string): void {
    this.#all.add(id);
    if (digits.test(id)) this.#byDigits.set(withoutZeros(id), id);
  }

  /** How a spreadsheet may have changed an identifier; undefined for one that exists, or that looks like no number. */
  rewritingOf(text: string): Pick<Rewritten, 'kind' | 'there'> | undefined {
    if (this.#all.has(text)) return undefined;
    if (shortened.test(text)) return { kind: 'shortened' };
    const there = digits.test(text) ? this.#byDigits.get(withoutZeros(text)) : undefined;
    return there === undefined ? undefined : { kind: 'zeros', there };
  }
}

const withoutZeros = (id: string): string => id.replace(/^0+(?=\d)/, '');
