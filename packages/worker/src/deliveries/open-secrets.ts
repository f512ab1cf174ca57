import type { SecretBox, SecretOwner } from '@comanda/db';
import { UnsignableError } from './signing.ts';
import type { StoredSecrets } from './statements.ts';

/** Opens the signing secrets of an endpoint. @throws {UnsignableError} when there is none, or one cannot be opened. */
export function openSecrets(
  { secrets }: { secrets: SecretBox },
  owner: SecretOwner,
  stored: StoredSecrets,
): string[] {
  if (stored === null || stored.length === 0) throw new UnsignableError('the endpoint has no signing secret');
  try {
    return stored.map(({ keyId, sealed }) =>
      secrets.open({ keyId, sealed: Buffer.from(sealed, 'hex') }, owner),
    );
  } catch (error) {
    throw new UnsignableError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
