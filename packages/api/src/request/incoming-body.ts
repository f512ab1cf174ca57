import { bodyBytes } from '../bodies/bounds.ts';
import type { Pieces } from '../bodies/pieces.ts';
import type { Caller } from '../credentials/credentials.ts';
import type { BodyPlace } from '../places/body-bytes.ts';
import type { App } from './context.ts';
import type { OperationMeta } from './meta.ts';

/** A body that has not been received yet, as an entrance gives it to a call. */
export class IncomingBody {
  /**
   * Receives all of it, at most `most` bytes, which it takes of `place`. Throws 413 for more, 415 for a body that is no
   * JSON by its head, 400 for one that ends early, 503 where the place has no room.
   */
  readonly receive: (most: number, place?: BodyPlace) => Promise<Pieces>;

  constructor(receive: IncomingBody['receive']) {
    this.receive = receive;
  }
}

/** Receives the body of an admitted call, within the bounds of its operation and its location. Throws as `receive` does. */
export const receiveBody = (
  body: IncomingBody,
  { places }: Pick<App, 'places'>,
  { locationId }: Pick<Caller, 'locationId'>,
  { batch }: Pick<OperationMeta, 'batch'>,
): Promise<Pieces> =>
  body.receive(batch ? bodyBytes.batch : bodyBytes.ordinary, places.bodies.begin(locationId));
