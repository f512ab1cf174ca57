/** A text as one word of a shell, for any content. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
