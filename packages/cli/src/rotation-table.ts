import type { KeyRotation } from '@comanda/api/src/resources/webhook-endpoints/rotate-key.store.ts';
import type { Lines } from './rows.ts';

/** A rotation for a person: what was done, which key seals how much, and which keys may go. */
export function rotationTable(value: unknown): Lines {
  const { current_key_id, resealed, unchanged, keys, removable } = value as KeyRotation;
  return [
    `${resealed} secrets sealed again with the key "${current_key_id}", ${unchanged} already were`,
    ...keys.map(({ key_id, secrets }) => `key "${key_id}" seals ${secrets}`),
    ...removable.map((id) => `key "${id}" is needed no more: it may leave ENCRYPTION_KEY`),
  ];
}
