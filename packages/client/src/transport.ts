/** No connection came about, or it broke before the answer was whole. */
export class NoConnection extends Error {
  override name = 'NoConnection';

  constructor(cause: unknown) {
    const { message, cause: deeper } = cause as {
      message?: string;
      cause?: { message?: string; code?: string };
    };
    const why = deeper?.message || deeper?.code;
    super(why ? `${message}: ${why}` : (message ?? String(cause)), { cause });
  }
}

/** Something on the way answered in the place of the service: a proxy's page, another server. */
export class StrangeAnswer extends Error {
  override name = 'StrangeAnswer';
  readonly status: number;
  /** Of `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(url: string, { status, headers }: Response) {
    const kind = headers.get('content-type')?.split(';')[0] ?? 'nothing';
    super(
      `${url.split('?')[0]} answered ${status} with ${kind}, which is not Comanda's: is \`url\` its base URL?`,
    );
    this.status = status;
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined;
  }
}

/** The answer to a request of an address. */
export interface Answer {
  /** The request. An answer need not have it: one that an application's own `fetch` makes has none. */
  href: string;
  answer: Response;
}

/** The answer to a request, and what it says in JSON. Throws `NoConnection` and `StrangeAnswer`. */
export async function ask(
  send: typeof fetch | undefined,
  { href }: URL,
  init: RequestInit,
): Promise<Answer & { json: unknown }> {
  let answer: Response;
  let text: string;
  try {
    answer = await (send ?? fetch)(href, init);
    text = await answer.text();
  } catch (error) {
    throw new NoConnection(error);
  }
  const asked = { href, answer };
  return { ...asked, json: jsonOf(text, asked) };
}

/**
 * The JSON of an answer. Throws `StrangeAnswer` where it is none, and `NoConnection` where the end of it is missing.
 */
export function jsonOf(text: string, { href, answer }: Answer): unknown {
  if (!answer.headers.get('content-type')?.includes('json')) throw new StrangeAnswer(href, answer);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw /^\s*[[{]/.test(text) ? new NoConnection(error) : new StrangeAnswer(href, answer);
  }
}
