import type { CallRequest } from './request.ts';

/** The response. */
export interface Answer {
  status: number;
  /** `Created` */
  statusText: string;
  headers: [name: string, value: string][];
  /** JSON with line breaks; a stream as far as it has come. */
  body: string;
}

/** More of a body is not shown. */
const mostCharacters = 200_000;

/**
 * Sends a call to the server that the page came from, and shows the answer: its head when it is there, then its body, of a
 * stream piece by piece. Resolves when the body has ended.
 * @throws what `fetch` throws: no answer came, the signal ended it, or a header has characters that none may have
 */
export async function send(
  { path, ...call }: CallRequest,
  signal: AbortSignal,
  show: (answer: Answer) => void,
): Promise<void> {
  const response = await fetch(path, { ...call, signal, cache: 'no-store', credentials: 'omit' });
  const { status, statusText } = response;
  const head = { status, statusText, headers: [...response.headers] };
  show({ ...head, body: '' });
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    show({ ...head, body: readable(await response.text()) });
    return;
  }
  const decoder = new TextDecoder();
  let body = '';
  for (const reader = response.body?.getReader(); reader !== undefined; ) {
    const { done, value } = await reader.read();
    if (done) return;
    body = cut(body + decoder.decode(value, { stream: true }));
    show({ ...head, body });
  }
}

function readable(text: string): string {
  try {
    return cut(JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    return cut(text);
  }
}

const cut = (text: string): string =>
  text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters)}\n… the rest is not shown`;
