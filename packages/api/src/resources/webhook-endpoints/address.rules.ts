import ipaddr from 'ipaddr.js';
import { absoluteHttp, longestUrl } from './address.schema.ts';

/** `public`: https to public addresses only; `any`: also http and private addresses (WEBHOOK_TARGETS). */
export type WebhookTargets = 'public' | 'any';

/** The parsed URL, or why it is refused: a phrase that follows the field's name. */
export type UrlVerdict = { ok: true; url: URL } | { ok: false; reason: string };

/**
 * Whether a webhook may be registered at, or sent to, this URL: absolute http(s), at most 2,048 characters,
 * no credentials, no fragment; under `public` https only and no address or name that is known to be inside.
 * Names are never resolved here: {@link isAllowedAddress} judges what they resolve to, at every attempt.
 *
 * `allowCidrs` (WEBHOOK_ALLOW_CIDRS) opens ranges such as `10.0.0.0/8`, over http too. As a name may lie in
 * them, with ranges given http names pass here, and are held to the ranges when they are resolved.
 */
export function checkWebhookUrl(
  text: string,
  targets: WebhookTargets,
  allowCidrs: readonly string[],
): UrlVerdict {
  if ([...text].length > longestUrl) return refuse(`must be at most ${longestUrl} characters`);
  const [, authority] = absoluteHttp.exec(text) ?? [];
  if (authority === undefined || !URL.canParse(text)) return refuse('must be an absolute http or https URL');
  const url = new URL(text);
  // Empty ones, too, as in `https://@host/`.
  if (authority.includes('@')) return refuse('must not contain credentials');
  if (text.includes('#')) return refuse('must not contain a fragment');
  if (targets === 'any') return { ok: true, url };

  const host = unbracketed(url.hostname);
  const protocol = url.protocol === 'http:' ? 'http:' : 'https:';
  if (ipaddr.isValid(host)) {
    if (isAllowedAddress(host, targets, allowCidrs, protocol)) return { ok: true, url };
    return refuse(
      isAllowedAddress(host, targets, allowCidrs) ? 'must use https' : `address ${host} is not public`,
    );
  }
  if (allowCidrs.length > 0) return { ok: true, url };
  if (protocol === 'http:') return refuse('must use https');
  if (insideName.test(host)) return refuse(`host ${host} is not public`);
  return { ok: true, url };
}

/**
 * Whether a webhook may be sent to this address (no brackets). Under `public` that is globally routed unicast
 * over https, or an address in `allowCidrs` over either protocol. Addresses that carry an IPv4 address inside
 * (NAT64, 6to4, Teredo, IPv4-compatible) are not public; IPv4-mapped ones count as the IPv4 address.
 */
export function isAllowedAddress(
  ip: string,
  targets: WebhookTargets,
  allowCidrs: readonly string[],
  protocol: 'http:' | 'https:' = 'https:',
): boolean {
  if (!ipaddr.isValid(ip)) return false;
  if (targets === 'any') return true;
  const address = ipaddr.process(ip);
  if (allowCidrs.some((cidr) => isInside(address, cidr))) return true;
  return protocol === 'https:' && isPublic(address);
}

type Address = ReturnType<typeof ipaddr.process>;

const insideName = /^(.+\.)?(localhost|local|internal)\.*$/;

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(globalUnicast);
}

function isInside(address: Address, cidr: string): boolean {
  const [base, bits] = ipaddr.parseCIDR(cidr);
  return base.kind() === address.kind() && address.match([base, bits]);
}

function unbracketed(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function refuse(reason: string): UrlVerdict {
  return { ok: false, reason };
}
