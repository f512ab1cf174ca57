import { keyProblem } from './request.ts';

const name = 'comanda-sandbox-key';

/** The key that was last sent in this tab; empty where there is none. */
export function keptKey(): string {
  try {
    return sessionStorage.getItem(name) ?? '';
  } catch {
    // A browser may refuse storage: the key is then typed again.
    return '';
  }
}

/** Keeps a key of a sandbox until the tab is closed, and no other. */
export function keepKey(key: string): void {
  if (keyProblem(key) !== '') return;
  try {
    sessionStorage.setItem(name, key.trim());
  } catch {}
}
