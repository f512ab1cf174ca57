import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** The form in which PostgreSQL stores a password (RFC 5803). The password has ASCII letters and digits alone. */
export function verifier(password: string, salt = randomBytes(16), rounds = 4_096): string {
  const salted = pbkdf2Sync(password, salt, rounds, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  const server = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${rounds}:${salt.toString('base64')}$${stored}:${server}`;
}
