export const groups: Readonly<Record<string, Readonly<Record<string, string>>>>;
