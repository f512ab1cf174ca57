import { createHash } from 'node:crypto';

/** Replaces a text that is only compared, so that hours of load fit into memory. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
