import { bodyBytes } from '../bodies/bounds.ts';
import type { Pieces } from '../bodies/pieces.ts';
import type { BodySlot } from '../capacity/bytes.ts';
import type { Caller } from '../credentials/credentials.ts';
import type { App } from './context.ts';
import type { OperationMeta } from './meta.ts';

/** A body that has not been received yet, as an entrance gives it to a call. */
export class IncomingBody {
  /**
   * Receives all of it, at most `most` bytes, which it takes of `slot`. Throws 413 for more, 415 for a body that is no
   * JSON by its head, 400 for one that ends early, 503 where there is no room for them.
   */
  readonly receive: (most: number, slot?: BodySlot) => Promise<Pieces>;

  constructor(receive: IncomingBody['receive']) {
    this.receive = receive;
  }
}

/** Receives the body of an admitted call, within the bounds of its operation and its location. Throws as `receive` does. */
export const receiveBody = (
  body: IncomingBody,
  { capacity }: Pick<App, 'capacity'>,
  { locationId }: Pick<Caller, 'locationId'>,
  { batch }: Pick<OperationMeta, 'batch'>,
): Promise<Pieces> =>
  body.receive(batch ? bodyBytes.batch : bodyBytes.ordinary, capacity.bodies.begin(locationId));
