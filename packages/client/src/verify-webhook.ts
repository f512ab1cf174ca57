import type { ComandaEvent, WebhookEvent } from './events.ts';

/** Why a delivery was refused. */
export type WebhookVerificationReason =
  | 'missing_header'
  | 'malformed_header'
  | 'wrong_secret'
  | 'altered_body'
  | 'malformed_body'
  | 'old_timestamp'
  | 'future_timestamp';

/** A delivery that must not be trusted. Answer it with 400; `message` says what to look at. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The headers of a request: of `fetch`, of `node:http`, or any record; the case of names does not matter. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyWebhookOptions {
  /** How far `webhook-timestamp` may be from now, either way; 300 unless given. */
  toleranceSeconds?: number;
  /** The time to judge by; the clock's unless given. */
  now?: Date;
}

/**
 * Checks that a delivery is authentic, unaltered and recent, and returns its event. `secret` is the endpoint's
 * `whsec_…`, or several (the old and the new one around a rotation); `rawBody` is the body exactly as received,
 * before any parsing. Needs Web Crypto alone: Node, browsers, edge runtimes.
 *
 * @throws {WebhookVerificationError} whose `reason` says what is wrong.
 *
 * @example
 * const event = await verifyWebhook(secret, request.headers, await request.text());
 * if (event.type === 'order.created') console.log(event.data.number, event.data.total);
 */
export async function verifyWebhook<Event extends WebhookEvent<unknown> = ComandaEvent>(
  secret: string | readonly string[],
  headers: WebhookHeaders,
  rawBody: string | Uint8Array,
  { toleranceSeconds = 300, now = new Date() }: VerifyWebhookOptions = {},
): Promise<Event> {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    throw new WebhookVerificationError(
      'altered_body',
      'rawBody must be the request body as received (a string or bytes), not a parsed object',
    );
  }
  const signed = readSignedHeaders(headers);
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const isAuthentic = await matches(secrets, signed, rawBody);
  checkAge(signed.timestamp, now, toleranceSeconds, isAuthentic);
  if (!isAuthentic) throw await diagnose(secrets, signed, rawBody, readHeader(headers, 'content-digest'));
  return parseEvent<Event>(rawBody);
}

type Body = string | Uint8Array;

interface SignedHeaders {
  id: string;
  timestamp: string;
  signatures: string[];
}

const secretText = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
const signatureText = /^v1,[A-Za-z0-9+/]{43}=$/;

function readSignedHeaders(headers: WebhookHeaders): SignedHeaders {
  const id = requireHeader(headers, 'webhook-id');
  const timestamp = requireHeader(headers, 'webhook-timestamp');
  if (!/^\d{1,12}$/.test(timestamp))
    throw malformed('webhook-timestamp must be a Unix time in whole seconds');
  const entries = requireHeader(headers, 'webhook-signature').split(/,?\s+/);
  const signatures = entries.filter((entry) => signatureText.test(entry)).map((entry) => entry.slice(3));
  if (signatures.length === 0) {
    throw malformed('webhook-signature has no entry of the form v1,<base64 of 32 bytes>');
  }
  return { id, timestamp, signatures };
}

async function matches(
  secrets: readonly string[],
  { id, timestamp, signatures }: SignedHeaders,
  body: Body,
): Promise<boolean> {
  const signed = concat(asBytes(`${id}.${timestamp}.`), asBytes(body));
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  let found = false;
  for (const secret of secrets) {
    const bytes = decodeSecret(secret);
    if (bytes === undefined) continue;
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
    for (const signature of signatures) {
      found = (await crypto.subtle.verify(algorithm.name, key, decodeBase64(signature), signed)) || found;
    }
  }
  return found;
}

function checkAge(timestamp: string, now: Date, toleranceSeconds: number, isAuthentic: boolean): void {
  const ageSeconds = Math.floor(now.getTime() / 1000) - Number(timestamp);
  const besides = isAuthentic ? '' : '; besides, the signature does not match';
  if (ageSeconds > toleranceSeconds) {
    throw new WebhookVerificationError(
      'old_timestamp',
      `webhook-timestamp is ${ageSeconds} s old, more than ${toleranceSeconds} s: a replay, or your clock is ahead${besides}`,
    );
  }
  if (-ageSeconds > toleranceSeconds) {
    throw new WebhookVerificationError(
      'future_timestamp',
      `webhook-timestamp is ${-ageSeconds} s in the future, more than ${toleranceSeconds} s: your clock is behind${besides}`,
    );
  }
}

/** A signature alone cannot distinguish these: the unsigned digest and the body itself do. */
async function diagnose(
  secrets: readonly string[],
  signed: SignedHeaders,
  body: Body,
  digestHeader: string | undefined,
): Promise<WebhookVerificationError> {
  if (secrets.every((secret) => decodeSecret(secret) === undefined)) {
    return wrongSecret('the secret must be whsec_ followed by base64, as the endpoint was created with');
  }
  for (const { restore, message } of originals) {
    const restored = restore(asText(body));
    if (restored !== undefined && (await matches(secrets, signed, restored))) return altered(message);
  }
  const digest = digestHeader?.match(/(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]+):/)?.[1];
  if (digest !== undefined && digest !== (await sha256(body))) {
    return altered('the body is not the one that was sent: it was altered on the way, or before this call');
  }
  const event = parseJson(asText(body));
  if (event === undefined) return altered('the body is not JSON: it was cut off or altered');
  const id = typeof event === 'object' && event !== null && 'id' in event ? event.id : undefined;
  if (id !== signed.id) {
    if (digest === undefined) return altered('the id in the body is not webhook-id: the body was altered');
    return malformed('webhook-id is not the id in the body: the header was altered');
  }
  if (digest === undefined) {
    return wrongSecret(
      'the secret is not of this endpoint, or the body was altered (no Content-Digest to distinguish them)',
    );
  }
  return wrongSecret(
    'the body is as it was sent, but not signed with this secret: use that of this endpoint (or webhook-timestamp was altered)',
  );
}

/** Common changes to a body before it gets here, each undone. */
const originals: readonly { restore(text: string): string | undefined; message: string }[] = [
  { restore: (text) => text.trim(), message: 'blanks or a byte order mark were added around the body' },
  { restore: (text) => text.replaceAll('\r\n', '\n'), message: 'the line ends of the body were changed' },
  {
    restore: (text) => JSON.stringify(parseJson(text)),
    message: 'the body was parsed and written again: pass it exactly as received',
  },
];

function parseEvent<Event>(body: Body): Event {
  const event = parseJson(asText(body));
  if (typeof event === 'object' && event !== null && 'id' in event && 'type' in event && 'data' in event) {
    return event as Event;
  }
  throw new WebhookVerificationError('malformed_body', 'the body is signed, but it is not an event');
}

function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const key = Object.keys(headers).find((given) => given.toLowerCase() === name);
  const value =
    key === undefined ? undefined : (headers as Record<string, string | string[] | undefined>)[key];
  return Array.isArray(value) ? value.join(' ') : value;
}

function requireHeader(headers: WebhookHeaders, name: string): string {
  const value = readHeader(headers, name)?.trim();
  if (value) return value;
  throw new WebhookVerificationError('missing_header', `the header ${name} is missing`);
}

function decodeSecret(secret: string): Uint8Array<ArrayBuffer> | undefined {
  const base64 = secretText.exec(secret)?.[1]?.replace(/=+$/, '');
  return base64 === undefined || base64.length % 4 === 1 ? undefined : decodeBase64(base64);
}

const decodeBase64 = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

async function sha256(body: Body): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', concat(asBytes(body)));
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}

function asBytes(body: Body): Uint8Array {
  return typeof body === 'string' ? new TextEncoder().encode(body) : body;
}

function concat(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function asText(body: Body): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function malformed(message: string): WebhookVerificationError {
  return new WebhookVerificationError('malformed_header', message);
}

function altered(message: string): WebhookVerificationError {
  return new WebhookVerificationError('altered_body', message);
}

function wrongSecret(message: string): WebhookVerificationError {
  return new WebhookVerificationError('wrong_secret', message);
}
