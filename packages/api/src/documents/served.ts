import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { type Encoding, encodingFor } from '../call/encoding.ts';

/** Something that is served as it is, to anybody. */
export interface Served {
  /** Its media type, as the answer says it. */
  type: string;
  /** Its name changes with its content: a client that has it need not ask again. */
  immutable?: boolean;
  /** It is a page that shows pictures of other hosts, as those of products are. */
  showsPictures?: boolean;
  make(): Made | Promise<Made>;
}

type Made = string | Buffer;

/**
 * Answers GET and HEAD with it, compressed where the caller asks. It is made, and compressed, once: when it is first asked for.
 * With the status 404 it is no page of its own: it is neither kept nor asked for by its tag.
 */
export function serverOf(
  { type, immutable = false, showsPictures = false, make }: Served,
  status: 200 | 404 = 200,
) {
  const variants = new Map<Encoding, Promise<Variant>>();
  const variantOf = (encoding: Encoding): Promise<Variant> => {
    const known = variants.get(encoding);
    if (known !== undefined) return known;
    const made = encoding === 'identity' ? plain(type, make) : variantOf('identity').then(packers[encoding]);
    variants.set(encoding, made);
    // A failed read is tried again by the next request.
    made.catch(() => variants.delete(encoding));
    return made;
  };
  return async (request: Request, response: Response): Promise<void> => {
    const encoding = /^image\//.test(type)
      ? 'identity'
      : encodingFor(request.headers['accept-encoding'], ['br', 'gzip']);
    const { bytes, etag, policy } = await variantOf(encoding);
    response.set({
      'Content-Type': type,
      'Cache-Control': status === 404 ? 'no-store' : immutable ? kept : 'no-cache',
      'Content-Security-Policy': showsPictures ? policy.replace(ownPictures, anyPictures) : policy,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      Vary: status === 404 ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
      ...(status === 200 && { ETag: etag }),
    });
    if (status === 200 && request.headers['if-none-match']?.includes(etag)) {
      response.status(304).end();
      return;
    }
    if (encoding !== 'identity') response.set('Content-Encoding', encoding);
    response.status(status).send(bytes);
  };
}

const kept = 'public, max-age=31536000, immutable';

interface Variant {
  bytes: Buffer;
  etag: string;
  policy: string;
}

const packers = {
  // 11 takes ten times as long as 9, for a twentieth less.
  br: packer('br', (bytes) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  ),
  gzip: packer('gzip', (bytes) => promisify(gzip)(bytes, { level: 9 })),
};

function packer(name: string, pack: (bytes: Buffer) => Promise<Buffer>) {
  return async ({ bytes, etag, policy }: Variant): Promise<Variant> => ({
    bytes: await pack(bytes),
    etag: etag.replace(/"$/, `-${name}"`),
    policy,
  });
}

async function plain(type: string, make: Served['make']): Promise<Variant> {
  const bytes = Buffer.from(await make());
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { bytes, etag, policy: type.startsWith('text/html') ? policyOf(bytes.toString()) : pagePolicy };
}

/** The policy of a page: inline code of it runs by its hash, and no other inline code does. */
function policyOf(html: string): string {
  const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  const hashes = inline.map(
    ([, code = '']) => ` 'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  );
  return pagePolicy.replace("script-src 'self'", `script-src 'self'${hashes.join('')}`);
}

const ownPictures = "img-src 'self' data:";
const anyPictures = `${ownPictures} http: https:`;

/** Nothing but what this server serves: no other host, nothing inline. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  ownPictures,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
