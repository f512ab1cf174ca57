import { type Erased, eraseOrderOf } from '@comanda/api/src/resources/orders/erase.store.ts';
import type { Work } from './command.ts';
import { withProgress } from './progress.ts';

/** `comanda erase` */
export const erase: Work = {
  as: 'owner',
  run: ({ database }, { order = '' }) =>
    withProgress((onProgress) => eraseOrderOf(database, order, onProgress)),
  show: (value) => {
    const { rows } = value as Erased;
    const changed = Object.entries(rows).filter(([, count]) => count > 0);
    return changed.length === 0
      ? ['there was nothing to erase']
      : changed.map(([table, count]) => `${table}: ${count}`);
  },
};
