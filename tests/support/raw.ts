import { type OutgoingHttpHeaders, request } from 'node:http';

/** An answer as it came over the wire: nothing is unpacked. */
export interface RawAnswer {
  status: number;
  /** Names in small letters. */
  headers: Record<string, string | undefined>;
  bytes: Buffer;
}

/** Sends the request as given: `fetch` would unpack the answer, ask for gzip by itself, and tidy the path. */
export function askRaw(
  baseUrl: string,
  route: string,
  headers: OutgoingHttpHeaders = {},
  body?: string,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const [method = 'GET', path = '/'] = route.split(/ (.*)/s);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as Record<string, string | undefined>,
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
