import {
  type ClientRequest,
  request as http,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as https } from 'node:https';

/** The request. */
export interface Request {
  /** `GET` unless said. */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** How long connection and answer may take together. */
  timeoutMs: number;
  /** So much of the answer is read, the rest is dropped; 64 MiB unless said. */
  mostBytes?: number;
}

/** An answer, with any status. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** No answer came; `message` says why. */
export class NoAnswerError extends Error {
  override name = 'NoAnswerError';
  /** Whether the request may have arrived. */
  readonly sent: boolean;

  constructor(message: string, sent: boolean) {
    super(message);
    this.sent = sent;
  }
}

/** Asks once. Redirects are answers as any other. @throws {NoAnswerError} */
export async function exchange(url: URL, request: Request): Promise<Answer> {
  try {
    return await ask(url, request);
  } catch (error) {
    // The other side had closed the kept connection meanwhile.
    if (error instanceof StaleConnectionError) return ask(url, request);
    throw error;
  }
}

class StaleConnectionError extends NoAnswerError {}

function ask(
  url: URL,
  { method = 'GET', headers = {}, body, timeoutMs, mostBytes }: Request,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const sending: ClientRequest = (url.protocol === 'https:' ? https : http)(
      url,
      { method, headers: { ...headers, ...length } },
      (response) => {
        read(response, mostBytes ?? 64 * 1024 * 1024)
          .then((text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
          .catch((error) => reject(new NoAnswerError(reasonOf(error), true)))
          .finally(() => clearTimeout(timer));
      },
    );
    const timer = setTimeout(
      () => sending.destroy(new NoAnswerError(`no answer within ${timeoutMs / 1000} s`, true)),
      timeoutMs,
    );
    sending.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      if (error instanceof NoAnswerError) return reject(error);
      if (sending.reusedSocket && error.code === 'ECONNRESET')
        return reject(new StaleConnectionError(reasonOf(error), true));
      reject(new NoAnswerError(reasonOf(error), !neverSent.has(error.code ?? '')));
    });
    sending.end(body);
  });
}

async function read(response: IncomingMessage, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size >= mostBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString('utf8');
}

const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed without an answer',
  EPIPE: 'connection closed without an answer',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name could not be resolved',
};

// Several addresses of a name fail together, each for its own reason: the first one's is reported.
function reasonOf(error: NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] }): string {
  const { code = error.errors?.[0]?.code ?? '', message } = error;
  return reasons[code] ?? (message === '' ? code : message);
}
