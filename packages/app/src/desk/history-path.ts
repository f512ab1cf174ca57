const before = '/app/desk/audit/';

/** Where the history of a row is shown. */
export const historyPath = (id: string): `/app/desk/audit/${string}` => `${before}${encodeURIComponent(id)}`;

/** The row whose history is shown at an address, if one is. */
export const rowAt = (path: string): string | undefined => {
  const id = path.startsWith(before) ? path.slice(before.length) : '';
  return /^[0-9a-f-]{36}$/.test(id) ? id : undefined;
};
