import { connect } from 'node:net';

/** One answer of those that came back on a connection, interim ones among them. */
export interface Heard {
  status: number;
  headers: Headers;
  body: string;
}

/**
 * Sends bytes over one connection, and reads answers until the server closes it, `enough` final ones are whole, or
 * nothing has come for `silenceMs`.
 */
export function converse(
  url: string,
  bytes: string | Buffer,
  { enough = Number.POSITIVE_INFINITY, silenceMs = 20_000 } = {},
): Promise<Heard[]> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    let text = '';
    const finish = (ended: boolean) => {
      const heard = answersIn(text, ended);
      if (!ended && heard.filter(({ status }) => status >= 200).length < enough) return;
      socket.destroy();
      resolve(heard);
    };
    socket.setTimeout(silenceMs, () => finish(true));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      finish(false);
    });
    socket.on('error', () => {});
    socket.on('close', () => finish(true));
  });
}

/** The whole answers at the beginning of a text; one without a length is whole once the connection has ended. */
function answersIn(text: string, ended: boolean): Heard[] {
  const heard: Heard[] = [];
  for (let rest = text; ; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return heard;
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    const headers = new Headers(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      }),
    );
    const behind = rest.slice(end + 4);
    const size = status < 200 || status === 204 || status === 304 ? 0 : bodySize(headers, behind, ended);
    if (size === undefined || behind.length < size) return heard;
    heard.push({ status, headers, body: behind.slice(0, size) });
    rest = behind.slice(size);
  }
}

function bodySize(headers: Headers, behind: string, ended: boolean): number | undefined {
  if (headers.get('transfer-encoding') === 'chunked') {
    const last = /(^|\r\n)0\r\n\r\n/.exec(behind);
    return last === null ? undefined : last.index + last[0].length;
  }
  const length = headers.get('content-length');
  if (length !== null) return Number(length);
  return ended ? behind.length : undefined;
}
