import { createHmac, timingSafeEqual } from 'node:crypto';

/** True when `body` (a Buffer, as received) was signed with `secret` within five minutes. */
export function verify(secret, id, timestamp, signature, body, now = Date.now() / 1000) {
  if (!/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > 300) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body);
  const expected = Buffer.from(`v1,${hmac.digest('base64')}`);
  return signature.split(' ').some((one) => {
    const given = Buffer.from(one);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
