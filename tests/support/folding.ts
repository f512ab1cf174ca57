/** A text, a part of it as a person types it, and whether a search for the part finds the text. */
type FoldingCase = readonly [text: string, typed: string, found: boolean];

/** How searches compare texts (docs/contract.md): every search is held to this table. */
export const foldingCases: readonly FoldingCase[] = [
  ['ΜΟΥΣΑΚΑΣ', 'ΜΟΥ', true],
  ['ΜΟΥΣΑΚΑΣ', 'ΜΟΥΣ', true],
  ['ΜΟΥΣΑΚΑΣ', 'μους', true],
  ['ΜΟΥΣΑΚΑΣ', 'μουσ', true],
  ['Μουσακάς', 'μουσακάσ', true],
  ['Μουσακάς', 'ΜΟΥΣΑΚΆΣ', true],
  ['ΤΡΑΠΕΖΙ ΜΕΣΑ', 'ΜΕΣ', true],
  ['İskender kebap', 'iskender', true],
  ['İskender kebap', 'İSKENDER', true],
  ['İskender kebap', 'i\u0307skender', true],
  ['iskender kebap', 'İskender', true],
  ['Weißbier', 'WEISSBIER', true],
  ['WEISSBIER', 'weißbier', true],
  ['WEIẞBIER', 'weißbier', true],
  ['Cre\u0300me', 'CRÈME', true],
  ['Crème', 'cre\u0300me', true],
  // No letter for J with a caron exists, but one for its lower case.
  ['J\u030CUS', '\u01F0us', true],
  ['\u0399\u0308\u0301', '\u0390', true],
  ['Crème', 'creme', false],
  ['Ñandú', 'nandu', false],
  ['100% Ärger_x', '0% ÄRGER_', true],
  ['1000 arger\\x', '0%', false],
  ['Ärger-x', 'r_x', false],
  ['1000 arger\\x', '\\x', true],
];
