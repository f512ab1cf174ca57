import { CommandError } from '@comanda/api/src/command-error.ts';
import { rotateKey } from '@comanda/api/src/resources/webhook-endpoints/rotate-key.store.ts';
import {
  createSecretBox,
  parseEncryptionKeys,
  readEncryptionKeyFile,
  type SecretBox,
  type Settings,
} from '@comanda/db';
import type { Work } from './command.ts';
import { withProgress } from './progress.ts';
import { rotationTable } from './rotation-table.ts';

/** `comanda secrets rotate-key` */
export const rotateEncryptionKey: Work = {
  run: ({ database, settings }) =>
    withProgress((onProgress) => rotateKey(database, secretBoxOf(settings), onProgress)),
  show: rotationTable,
};

/** The keys that seal signing secrets. Throws CommandError when no key is set. */
export const secretBoxOf = (settings: Settings): SecretBox =>
  createSecretBox(parseEncryptionKeys(encryptionKey(settings)));

function encryptionKey({ encryptionKey, dataDir }: Settings): string {
  const text = encryptionKey ?? readEncryptionKeyFile(dataDir);
  if (text !== null) return text;
  throw new CommandError('invalid_request', 'ENCRYPTION_KEY is not set, and DATA_DIR holds no key');
}
