import { connect } from 'node:net';

/** The response over a bare socket. */
export interface SocketAnswer {
  status: number;
  /** The head as sent. */
  head: string;
  json: { data?: Record<string, unknown>; error?: { code: string; message: string; request_id: string } };
}

/**
 * Sends bytes to the server and reads until it closes or the answer is whole. `keepSending` is repeated for as
 * long as the server lets the caller write, as a caller does who does not look at the answer before the end.
 */
export function exchange(
  url: string,
  bytes: string | Buffer,
  keepSending?: { chunk: Buffer; times: number },
): Promise<SocketAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const received: Buffer[] = [];
    let left = keepSending?.times ?? 0;
    const finish = () => {
      socket.destroy();
      const text = Buffer.concat(received).toString();
      if (text === '') reject(new Error('the server closed without an answer'));
      else resolve(parse(text));
    };
    const send = () => {
      while (keepSending !== undefined && left > 0 && !socket.destroyed) {
        left -= 1;
        if (!socket.write(keepSending.chunk)) {
          socket.once('drain', send);
          return;
        }
      }
    };
    socket.setTimeout(20_000, () => socket.destroy(new Error('the server did not answer')));
    socket.on('connect', () => {
      socket.write(bytes);
      send();
    });
    socket.on('data', (chunk) => {
      received.push(chunk);
      if (keepSending === undefined && isWhole(Buffer.concat(received).toString())) finish();
    });
    socket.on('end', finish);
    socket.on('close', finish);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (received.length > 0 || error.code === 'EPIPE') finish();
      else reject(error);
    });
  });
}

function isWhole(text: string): boolean {
  const [head = '', ...body] = text.split('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return length !== undefined && Buffer.byteLength(body.join('\r\n\r\n')) >= Number(length);
}

function parse(text: string): SocketAnswer {
  const [head = '', ...body] = text.split('\r\n\r\n');
  const json = body.join('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, json: json === '' ? {} : JSON.parse(json) };
}
