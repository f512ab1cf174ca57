import { bounds, type CountBounds, noSlot } from './bounds.ts';

/** Bounds how many of something are under way in a process, in all and of one location. */
export class Count {
  readonly #bounds: CountBounds;
  readonly #byLocation = new Map<string, number>();
  #all = 0;
  /** Those that wait, in the order in which they came. */
  readonly #waiting: { locationId: string; begin(): void }[] = [];

  /** Creates a count of nothing. */
  constructor(most: CountBounds) {
    this.#bounds = most;
  }

  /** Begins one of the location; call the answer when it has ended. Throws 503 with `Retry-After` where there is no room. */
  enter(locationId: string): () => void {
    const own = this.#ownOf(locationId);
    if (this.#hasRoom(own)) return this.#begin(locationId, own);
    throw own >= this.#bounds.location ? noSlot('location_busy') : noSlot();
  }

  /** The same, but waits for room. Throws 503 with `Retry-After` when there is none for 10 s. */
  async wait(locationId: string): Promise<() => void> {
    const own = this.#ownOf(locationId);
    if (this.#hasRoom(own)) return this.#begin(locationId, own);
    return new Promise((resolve, reject) => {
      const waiter = {
        locationId,
        begin: () => {
          clearTimeout(timer);
          resolve(this.#begin(locationId, this.#ownOf(locationId)));
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(noSlot('location_busy'));
      }, bounds.slots.waitMs);
      this.#waiting.push(waiter);
    });
  }

  /** Runs `work` once there is room. Throws what `wait` and `work` throw. */
  async run<Result>(locationId: string, work: () => Promise<Result>): Promise<Result> {
    const leave = await this.wait(locationId);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  #ownOf(locationId: string): number {
    return this.#byLocation.get(locationId) ?? 0;
  }

  #hasRoom(own: number): boolean {
    const { all, location, spare = 0 } = this.#bounds;
    return own < location && this.#all < (own === 0 ? all : all - spare);
  }

  #begin(locationId: string, own: number): () => void {
    this.#all += 1;
    this.#byLocation.set(locationId, own + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#end(locationId);
    };
  }

  #end(locationId: string): void {
    this.#all -= 1;
    const own = this.#ownOf(locationId);
    if (own > 1) this.#byLocation.set(locationId, own - 1);
    else this.#byLocation.delete(locationId);
    const next = this.#waiting.findIndex((waiter) => this.#hasRoom(this.#ownOf(waiter.locationId)));
    if (next >= 0) this.#waiting.splice(next, 1)[0]?.begin();
  }
}
