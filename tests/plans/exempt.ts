/** Statements that may read more than they answer. */
export interface Exemption {
  /** What its SQL has in it. */
  pattern: RegExp;
  reason: string;
}

export const exemptions: readonly Exemption[] = [];
