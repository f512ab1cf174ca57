import type { CallForm, Field } from './form.ts';

/** A call as `fetch` takes it, of this origin. */
export interface CallRequest {
  /** Path and query. */
  path: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
}

/**
 * The call that a filled form describes. Empty fields are not sent.
 * @param filled.values the values of the fields, by their names
 * @throws {Error} for a key that is not of a sandbox: nothing else of the form may reach a request
 */
export function requestOf(
  { method, path, fields, body: sample }: CallForm,
  { key, body, values }: { key: string; body: string; values: Readonly<Record<string, string>> },
): CallRequest {
  const problem = keyProblem(key);
  if (problem !== '' || key.trim() === '') throw new Error(problem || 'A key is needed.');
  const given = (place: Field['place']) =>
    fields
      .filter((field) => field.place === place)
      .map(({ name }): [string, string] => [name, values[name]?.trim() ?? ''])
      .filter(([, value]) => value !== '');
  const query = given('query').map((pair) => pair.map(encodeURIComponent).join('='));
  const filled = given('path').reduce(
    (whole, [name, value]) => whole.replace(`{${name}}`, () => encodeURIComponent(value)),
    path,
  );
  return {
    method,
    path: query.length === 0 ? filled : `${filled}?${query.join('&')}`,
    headers: {
      Authorization: `Bearer ${key.trim()}`,
      ...Object.fromEntries(given('header')),
      ...(sample !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(sample !== undefined && { body }),
  };
}

/** Why nothing is sent with a key, in a sentence; empty where it is one of a sandbox, and while nothing is entered. */
export function keyProblem(key: string): string {
  const given = key.trim();
  if (given === '' || /^cmd_test_[\x21-\x7e]+$/.test(given)) return '';
  return given.includes('cmd_live_')
    ? 'This is the key of a live location, where calls are real. The form does not send it. Use a key of a sandbox: it begins with cmd_test_.'
    : 'The form takes a key of a sandbox only: it begins with cmd_test_.';
}

/** A new `Idempotency-Key`. Not `crypto.randomUUID`: browsers have it over HTTPS only. */
export const newIdempotencyKey = (): string =>
  `try-${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
