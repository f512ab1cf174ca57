import { closingTurn } from './closing-turn.ts';
import { copiedRows } from './copied-rows.ts';
import { deletedEndpoint } from './deleted-endpoint.ts';
import { disabledEndpoint } from './disabled-endpoint.ts';
import { frozenWorker } from './frozen-worker.ts';
import { hangingEndpoints } from './hanging-endpoints.ts';
import { jobBesideSync } from './job-beside-sync.ts';
import { lockedEndpoint } from './locked-endpoint.ts';
import { lockedStock } from './locked-stock.ts';
import type { Neighbour } from './neighbour.ts';

/** Every bad neighbor, in the order in which they come; the one that leaves most work behind comes last. */
export const neighbours: readonly Neighbour[] = [
  lockedEndpoint,
  lockedStock,
  hangingEndpoints,
  frozenWorker,
  closingTurn,
  jobBesideSync,
  disabledEndpoint,
  deletedEndpoint,
  copiedRows,
];
