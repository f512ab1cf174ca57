import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { encryptionKeyFile, readEncryptionKeyFile } from '@comanda/db';

/** The key kept in `DATA_DIR/encryption-key` (mode 0600), made at the first start: 32 random bytes, base64. */
export function keptEncryptionKey(dataDir: string): string {
  const kept = readEncryptionKeyFile(dataDir) ?? make(encryptionKeyFile(dataDir), dataDir);
  return kept ?? readEncryptionKeyFile(dataDir) ?? '';
}

/** Linked into place whole; null when another process was first, whose key then counts. */
function make(file: string, dataDir: string): string | null {
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  const key = randomBytes(32).toString('base64');
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${key}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
    return key;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return null;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
