import { Agent, request as httpRequest } from 'node:http';

/** A request as it goes over the wire. */
export interface WireRequest {
  method: string;
  /** Path and query, as sent. */
  target: string;
  headers: [name: string, value: string][];
  body?: Buffer;
}

/** The response. */
export interface WireAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed JSON; undefined when there is none. */
  body: unknown;
  /** Milliseconds until the whole answer was there. */
  tookMs: number;
}

/** Sends requests over kept connections, as odd as Node's client lets them be. An answer may take 30 s unless said. */
export function createSender(baseUrl: string, patienceMs = 30_000) {
  const { hostname, port } = new URL(baseUrl);
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  return {
    close: () => agent.destroy(),
    send({ method, target, headers, body }: WireRequest): Promise<WireAnswer> {
      const started = performance.now();
      const sent = [
        ['Host', `${hostname}:${port}`],
        ...headers,
        ...(body === undefined ? [] : [['Content-Length', String(body.length)]]),
      ].flat();
      return new Promise((resolve, reject) => {
        const outgoing = httpRequest(
          { hostname, port, agent, method, path: target, headers: sent },
          (incoming) => {
            const chunks: Buffer[] = [];
            incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
            incoming.on('error', reject);
            incoming.on('end', () => {
              const text = Buffer.concat(chunks).toString();
              const answered = new Headers();
              for (const [name, values] of Object.entries(incoming.headersDistinct))
                for (const value of values ?? []) answered.append(name, value);
              const tookMs = performance.now() - started;
              resolve({
                status: incoming.statusCode ?? 0,
                headers: answered,
                text,
                body: parsed(text),
                tookMs,
              });
            });
          },
        );
        outgoing.setTimeout(patienceMs, () =>
          outgoing.destroy(new Error(`no answer within ${patienceMs / 1_000} s`)),
        );
        outgoing.on('error', reject);
        outgoing.end(body);
      });
    },
  };
}

/** The request as a command that can be pasted into a shell. */
export function asCurl(baseUrl: string, { method, target, headers, body }: WireRequest): string {
  const parts = ['curl -i --path-as-is -X', method, quoted(baseUrl + target)];
  for (const [name, value] of headers) parts.push('-H', quoted(`${name}: ${value}`));
  if (body === undefined) return parts.join(' ');
  const text = body.toString();
  if (Buffer.from(text).equals(body) && !text.includes('\0'))
    return [...parts, '--data-binary', quoted(text)].join(' ');
  return `printf %s ${body.toString('base64')} | base64 -d | ${[...parts, '--data-binary', '@-'].join(' ')}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
