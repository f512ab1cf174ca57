import { usePath } from '../frame/address.tsx';

/** The id behind the path of a part, of the row that the address names; empty where it names none. */
export function useRowIn(base: string): string {
  const text = usePath().slice(base.length + 1);
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign was typed into the address.
    return text;
  }
}
