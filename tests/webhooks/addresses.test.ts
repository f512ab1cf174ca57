import { checkWebhookUrl, isAllowedAddress } from '@comanda/api/services';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResolvedAddress } from '../../packages/worker/src/http/connector.ts';
import { createWebhookSender } from '../../packages/worker/src/http/sender.ts';
import { type Consumer, rawConsumer } from './consumers.ts';
import { type LoopbackOnly, stayOnLoopback } from './loopback.ts';

/** `@` is the victim's port. Every one of these leads inside. */
const evilUrls: readonly string[] = [
  '127.0.0.1',
  '127.0.0.2',
  '127.255.255.254',
  '127.1',
  '127.0.1',
  '0.0.0.0',
  '0',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0x7F.0x0.0x0.0x1',
  '017700000001',
  '0177.0.0.1',
  '0177.0.1',
  '127.0.0.1.',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '127.0.0.%31',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '192.0.0.192',
  '198.18.0.1',
  '192.0.2.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '0.1.2.3',
  '192.88.99.1',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:10.0.0.1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[100::1]',
  '[5f00::1]',
  '[3fff::1]',
  '[4000::1]',
  '[1::1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'app.localhost',
  'printer.local',
  'metadata.google.internal',
].map((host) => `https://${host}:@/hook`);

/** Names that pass registration; `answers` are what DNS says at the first and the following lookups. */
const evilNames: readonly { host: string; answers: string[][] }[] = [
  { host: 'inside.test', answers: [['127.0.0.1']] },
  { host: 'inside6.test', answers: [['::1']] },
  { host: 'private.test', answers: [['10.0.0.1']] },
  { host: 'metadata.test', answers: [['169.254.169.254']] },
  { host: 'mapped.test', answers: [['::ffff:127.0.0.1']] },
  { host: 'nat64.test', answers: [['64:ff9b::7f00:1']] },
  { host: 'zone.test', answers: [['fe80::1%lo']] },
  { host: 'nonsense.test', answers: [['not an address']] },
  { host: 'mixed.test', answers: [['93.184.216.34', '127.0.0.1']] },
  { host: 'mixed6.test', answers: [['2606:4700::1111', '::1']] },
];

let victim: Consumer;
let loopback: LoopbackOnly;
const contacts = () => loopback.contacted.length;

beforeAll(async () => {
  victim = await rawConsumer((socket) => socket.destroy());
  loopback = stayOnLoopback();
});
afterAll(async () => {
  loopback.restore();
  await victim.close();
});

/** Answers each lookup of a name with the next of its answers, and the last one for ever. */
function scriptedDns(names: readonly { host: string; answers: string[][] }[]) {
  const asked = new Map<string, number>();
  return async (hostname: string): Promise<ResolvedAddress[]> => {
    const times = asked.get(hostname) ?? 0;
    asked.set(hostname, times + 1);
    const answers = names.find(({ host }) => host === hostname)?.answers ?? [['127.0.0.1']];
    const answer = answers[Math.min(times, answers.length - 1)] ?? [];
    return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
}

const withPort = (url: string) => url.replace('@', String(victim.port));
const asHttp = (url: string) => url.replace('https:', 'http:');

type Options = Partial<Parameters<typeof createWebhookSender>[0]>;
const open = (options: Options) =>
  createWebhookSender({ timeoutMs: 5_000, targets: 'public', allowCidrs: [], ...options });

/** One attempt by a sender of its own. */
async function attemptAt(url: string, options: Options) {
  const sender = open(options);
  return sender.send({ url, headers: {}, body: '{}' }).finally(() => sender.close());
}

async function sendAll(urls: readonly string[], options: Options) {
  const sender = open({ resolve: scriptedDns(evilNames), ...options });
  const attempts = [];
  for (const url of urls) {
    const before = contacts();
    const attempt = await sender.send({ url: withPort(url), headers: {}, body: '{}' });
    attempts.push({ url, ok: attempt.ok, error: attempt.error, contacts: contacts() - before });
  }
  await sender.close();
  return attempts;
}

describe('sixty evil URLs and ten evil names', () => {
  const names = evilNames.map(({ host }) => `https://${host}:@/hook`);

  it('are all refused under "public", at every attempt, without a contact', async () => {
    expect(evilUrls.length).toBeGreaterThanOrEqual(60);
    const error = expect.stringMatching(/is not public$/);
    for (const attempt of await sendAll([...evilUrls, ...names], {}))
      expect(attempt).toMatchObject({ ok: false, error, contacts: 0 });
  });

  it('are all refused over http and https while a range is allowed that they are not in', async () => {
    const connections = victim.connections;
    const urls = [...evilUrls, ...names];
    const error = expect.stringMatching(/is not public$|may only be reached over https$/);
    const allowCidrs = ['10.99.0.0/16', 'fd99::/16'];
    for (const attempt of await sendAll([...urls, ...urls.map(asHttp)], { allowCidrs }))
      expect(attempt).toMatchObject({ ok: false, error, contacts: 0 });
    expect(victim.connections).toBe(connections);
  });

  it('are refused at registration too, as far as that can be known without DNS', () => {
    for (const url of evilUrls)
      expect(checkWebhookUrl(withPort(url), 'public', [])).toMatchObject({ ok: false });
  });

  it('do lead somewhere when the guard is open, so that the refusals mean something', async () => {
    const attempts = await sendAll([...evilUrls, ...names].map(asHttp), { targets: 'any' });
    const harmless = attempts.filter((attempt) => attempt.contacts === 0).map(({ url }) => url);
    expect(harmless).toEqual(['http://nonsense.test:@/hook']);
  });
});

describe('names', () => {
  it('are resolved at every attempt: one that turns inward after a public answer is refused', async () => {
    const resolve = scriptedDns([{ host: 'rebind.test', answers: [['93.184.216.34'], ['127.0.0.1']] }]);
    const sender = open({ resolve });
    const request = { url: withPort('https://rebind.test:@/'), headers: {}, body: '{}' };
    const before = { connections: victim.connections, contacts: contacts() };
    const first = await sender.send(request);
    const second = await sender.send(request);
    await sender.close();
    expect(first).toMatchObject({ ok: false, error: 'connection refused' });
    expect(loopback.contacted.slice(before.contacts)).toEqual(['93.184.216.34']);
    expect(second).toMatchObject({ error: 'address 127.0.0.1 of rebind.test is not public' });
    expect(victim.connections).toBe(before.connections);
  });

  it.each([
    ['ENOTFOUND', 'host name not found: gone.test'],
    ['EAI_AGAIN', 'host name could not be resolved at the moment'],
  ])('that DNS answers with %s fail with a reason', async (code, error) => {
    const resolve = async () => {
      throw Object.assign(new Error('getaddrinfo'), { code });
    };
    expect(await attemptAt('https://gone.test/', { resolve })).toMatchObject({ ok: false, error });
  });

  it('without any address are not found', async () => {
    const attempt = await attemptAt('http://empty.test/', { targets: 'any', resolve: async () => [] });
    expect(attempt).toMatchObject({ ok: false, error: 'host name not found: empty.test' });
  });

  it('are looked up once for attempts that start together', async () => {
    let lookups = 0;
    const resolve = async () => {
      lookups += 1;
      await new Promise((done) => setTimeout(done, 50));
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const sender = open({ targets: 'any', resolve });
    const url = withPort('http://busy.test:@/');
    await Promise.all(Array.from({ length: 20 }, () => sender.send({ url, headers: {}, body: '{}' })));
    await sender.close();
    expect(lookups).toBe(1);
  });
});

describe('WEBHOOK_ALLOW_CIDRS', () => {
  const allowCidrs = ['127.0.0.0/8'];

  it('opens its ranges to literal addresses and to names, over http', async () => {
    const urls = ['http://127.0.0.1:@/', 'http://inside.test:@/', 'http://[::ffff:127.0.0.1]:@/'];
    const error = expect.stringMatching(/^connection (reset|closed)/);
    for (const attempt of await sendAll(urls, { allowCidrs }))
      expect(attempt).toMatchObject({ contacts: 1, error });
  });

  it('opens nothing else', async () => {
    const urls = ['http://10.0.0.1:@/', 'http://private.test:@/', 'https://inside6.test:@/'];
    const error = expect.stringMatching(/is not public$/);
    for (const attempt of await sendAll(urls, { allowCidrs }))
      expect(attempt).toMatchObject({ ok: false, contacts: 0, error });
  });

  it('does not open http to public addresses, literal or resolved', async () => {
    const refused = { ok: false, reason: 'must use https' };
    expect(checkWebhookUrl('http://93.184.216.34/', 'public', allowCidrs)).toEqual(refused);
    const resolve = scriptedDns([{ host: 'shop.test', answers: [['93.184.216.34']] }]);
    const before = contacts();
    const attempt = await attemptAt('http://shop.test/', { allowCidrs, resolve });
    expect(attempt.error).toBe('address 93.184.216.34 of shop.test may only be reached over https');
    expect(contacts()).toBe(before);
  });
});

describe('checkWebhookUrl', () => {
  it.each([
    'https://example.com',
    'https://example.com/hook?tenant=1&x=%20',
    'https://example.com:8443/hook',
    'https://93.184.216.34/',
    'https://[2606:4700::1111]/',
    'https://[::ffff:93.184.216.34]/',
    'https://münchen.example/',
    'https://local.example.com/',
    `https://example.com/${'x'.repeat(2_028)}`,
  ])('accepts %s under "public"', (url) => {
    expect(checkWebhookUrl(url, 'public', [])).toEqual({ ok: true, url: new URL(url) });
  });

  const relative: string[] = [
    '',
    'example.com/hook',
    '/hook',
    'ftp://example.com/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http:127.0.0.1',
    'https:example.com',
    'https:\\\\example.com',
    'https://example.com\\@127.0.0.1/',
    'https://',
    'https://exa mple.com/',
    ' https://example.com/',
    'https://exam\nple.com/',
    'https://example.com:99999/',
    'https://256.256.256.256/',
    'https://[::1/',
  ];
  it.each<readonly [string, string]>([
    ...relative.map((url) => [url, 'must be an absolute http or https URL'] as const),
    ['https://user:password@example.com/', 'must not contain credentials'],
    ['https://user@example.com/', 'must not contain credentials'],
    ['https://example.com/#part', 'must not contain a fragment'],
    ['https://example.com/#', 'must not contain a fragment'],
    [`https://example.com/${'x'.repeat(2_029)}`, 'must be at most 2048 characters'],
  ])('refuses %j, with any targets', (url, reason) => {
    expect(checkWebhookUrl(url, 'any', [])).toEqual({ ok: false, reason });
    expect(checkWebhookUrl(url, 'public', [])).toEqual({ ok: false, reason });
  });

  it('accepts http, private addresses and local names under "any" only', () => {
    for (const url of ['http://example.com/', 'http://10.0.0.1:3000/', 'http://localhost:3000/hook']) {
      expect(checkWebhookUrl(url, 'any', [])).toMatchObject({ ok: true });
      expect(checkWebhookUrl(url, 'public', [])).toMatchObject({ ok: false });
    }
    for (const [url, reason] of [
      ['http://example.com/', 'must use https'],
      ['https://10.0.0.1/', 'address 10.0.0.1 is not public'],
    ] as const)
      expect(checkWebhookUrl(url, 'public', [])).toEqual({ ok: false, reason });
  });
});

describe('isAllowedAddress', () => {
  it('never allows what is not an address', () => {
    for (const text of ['', 'localhost', '1.2.3.4.5', '[::1]']) {
      expect(isAllowedAddress(text, 'any', [])).toBe(false);
    }
  });
});
