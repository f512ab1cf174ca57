import { newSigningSecret } from '@comanda/db';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import {
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from '../../packages/client/src/verify-webhook.ts';
import { webhookHeaders } from '../../packages/worker/src/http/headers.ts';

const secret = newSigningSecret();
const event = {
  id: '0199f0aa',
  type: 'order.created',
  api_version: 'v2',
  created_at: '2026-01-31T21:05:09.120-03:00',
  location_id: '0199f0bb',
  data: { comment: 'açaí 🍜', total: 10.5 },
};
const body = JSON.stringify(event);
const sentAt = 1_800_000_000;
const now = new Date(sentAt * 1_000);

function delivery(text = body, secrets = [secret]): Record<string, string> {
  return webhookHeaders({
    eventId: event.id,
    eventType: event.type,
    attempt: 1,
    timestampSeconds: sentAt,
    secrets,
    body: text,
    version: '1.0.0',
  });
}

const without = (headers: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));

async function refusal(
  headers: WebhookHeaders,
  rawBody: string | Uint8Array = body,
  secrets: string | string[] = secret,
  at: Date = now,
): Promise<string> {
  try {
    await verifyWebhook(secrets, headers, rawBody, { now: at });
  } catch (error) {
    if (error instanceof WebhookVerificationError) return `${error.reason}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}

describe('verifyWebhook accepts', () => {
  it('a delivery as our sender signs it, and returns its event', async () => {
    expect(await verifyWebhook(secret, delivery(), body, { now })).toEqual(event);
  });

  it('what the independent library signs', async () => {
    const signedAt = new Date();
    const headers = {
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(event.id, signedAt, body),
    };
    expect(await verifyWebhook(secret, headers, body)).toEqual(event);
  });

  it('headers as fetch, as node:http, or in any case, and a body as text or bytes', async () => {
    const upper = Object.fromEntries(Object.entries(delivery()).map(([k, v]) => [k.toUpperCase(), v]));
    const lists = Object.fromEntries(Object.entries(delivery()).map(([k, v]) => [k.toLowerCase(), [v]]));
    for (const headers of [new Headers(delivery()), upper, lists]) {
      for (const rawBody of [body, Buffer.from(body), new TextEncoder().encode(body)]) {
        expect(await verifyWebhook(secret, headers, rawBody, { now })).toEqual(event);
      }
    }
  });

  it('either secret around a rotation, on either side, and unknown signature versions with them', async () => {
    const [newer, older] = [newSigningSecret(), newSigningSecret()];
    const rotating = delivery(body, [newer, older]);
    expect(await verifyWebhook(older, rotating, body, { now })).toEqual(event);
    expect(await verifyWebhook([secret, newer], rotating, body, { now })).toEqual(event);
    const signature = `v1a,abc ${rotating['webhook-signature']}`;
    const more = { ...rotating, 'webhook-signature': signature };
    expect(await verifyWebhook(newer, more, body, { now })).toEqual(event);
  });

  it('a timestamp up to the tolerance away, and not a second more', async () => {
    const at = (seconds: number) => refusal(delivery(), body, secret, new Date((sentAt + seconds) * 1_000));
    expect([await at(300), await at(-300)]).toEqual(['accepted', 'accepted']);
    expect(await at(301)).toMatch(/^old_timestamp: .*301 s old/);
    expect(await at(-301)).toMatch(/^future_timestamp: .*301 s in the future/);
    const late = { now: new Date((sentAt + 3_600) * 1_000), toleranceSeconds: 3_600 };
    expect(await verifyWebhook(secret, delivery(), body, late)).toEqual(event);
  });
});

describe('verifyWebhook says', () => {
  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('that %s is missing', async (name) => {
    expect(await refusal(without(delivery(), name))).toBe(`missing_header: the header ${name} is missing`);
    const empty = { ...delivery(), [name]: ' ' };
    expect(await refusal(empty)).toBe(`missing_header: the header ${name} is missing`);
  });

  it.each([
    ['webhook-timestamp', '2027-01-15T08:00:00Z'],
    ['webhook-timestamp', '-5'],
    ['webhook-timestamp', '1800000000.5'],
    ['webhook-signature', 'v1=abc'],
    ['webhook-signature', 'v1,'],
    ['webhook-signature', 'v2,AAAA'],
    ['webhook-id', 'another'],
  ])('that %s is malformed when it is %s', async (name, value) => {
    expect(await refusal({ ...delivery(), [name]: value })).toMatch(new RegExp(`^malformed_header: ${name}`));
  });

  it('wrong secret, when the body is as it was sent', async () => {
    const wrong = await refusal(delivery(), body, newSigningSecret());
    expect(wrong).toMatch(/^wrong_secret: the body is as it was sent/);
    expect(await refusal(delivery(), body, [])).toMatch(/^wrong_secret/);
    for (const text of ['', 'whsec_', 'whsec_***', 'hello', secret.slice(6), `whsec_${'A'.repeat(5)}`]) {
      expect(await refusal(delivery(), body, text)).toMatch(/^wrong_secret: the secret must be whsec_/);
    }
  });

  it.each([
    ['changed', body.replace('10.5', '99.5')],
    ['cut off', body.slice(0, -5)],
    ['empty', ''],
    ['another event', body.replaceAll('0199f0aa', '0199f0ff')],
    ['padded', `${body} `],
    ['with a byte order mark', `\uFEFF${body}`],
    ['indented', JSON.stringify(event, null, 2)],
    ['decoded as Latin-1', Buffer.from(body).toString('latin1')],
  ])('altered body, when it is %s, whichever secret is tried', async (_, altered) => {
    expect(await refusal(delivery(), altered)).toMatch(/^altered_body/);
    expect(await refusal(delivery(), altered, newSigningSecret())).toMatch(/^altered_body/);
  });

  it.each([
    ['cut off', body.slice(0, -5), 'not JSON'],
    ['another event', body.replaceAll('0199f0aa', '0199f0ff'), 'the id in the body'],
    ['padded', `${body}\n`, 'blanks or a byte order mark'],
    ['indented', JSON.stringify(event, null, 2), 'parsed and written again'],
  ])('altered body without any digest, when it is %s', async (_, altered, message) => {
    const headers = without(delivery(), 'Content-Digest');
    expect(await refusal(headers, altered)).toMatch(new RegExp(`^altered_body: .*${message}`));
  });

  it('that it cannot know, when there is no digest and nothing else gives it away', async () => {
    const headers = without(delivery(), 'Content-Digest');
    const wrong = await refusal(headers, body, newSigningSecret());
    expect(wrong).toMatch(/secret is not of this endpoint, or the body/);
    expect(await refusal(headers, body.replace('10.5', '99.5'))).toMatch(/or the body was altered/);
  });

  it('line ends, when those were changed', async () => {
    const lines = `${JSON.stringify(event, null, 2)}\n`;
    const headers = without(delivery(lines), 'Content-Digest');
    expect(await refusal(headers, lines)).toBe('accepted');
    expect(await refusal(headers, lines.replaceAll('\n', '\r\n'))).toMatch(/^altered_body: the line ends/);
  });

  it('that a parsed object is not the raw body', async () => {
    expect(await refusal(delivery(), event as never)).toMatch(/^altered_body: rawBody must be/);
  });

  it('old timestamp for a replay, and that nothing else is right when it is not', async () => {
    const later = new Date(now.getTime() + 3_600_000);
    expect(await refusal(delivery(), body, secret, later)).toMatch(/^old_timestamp: (?!.*besides)/);
    expect(await refusal(delivery(), body, newSigningSecret(), later)).toMatch(/^old_timestamp: .*besides/);
  });

  it('nothing good of a fresh timestamp put on an old delivery', async () => {
    const headers = { ...delivery(), 'webhook-timestamp': String(sentAt + 3_600) };
    expect(await refusal(headers, body, secret, new Date((sentAt + 3_600) * 1_000))).toMatch(/^wrong_secret/);
  });

  it('that a signed body is no event', async () => {
    const text = '"hello"';
    expect(await refusal(delivery(text), text)).toMatch(/^malformed_body/);
  });

  it('no: a forged digest does not make an altered body authentic', async () => {
    const forged = body.replace('10.5', '99.5');
    const digest = delivery(forged)['Content-Digest'] ?? '';
    expect(await refusal({ ...delivery(), 'Content-Digest': digest }, forged)).not.toBe('accepted');
  });
});
