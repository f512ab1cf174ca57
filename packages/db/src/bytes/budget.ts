import type { ByteShares } from './bounds.ts';

/** Shares a number of bytes among holders, each of which may always have something. */
export interface ByteBudget {
  /** How many more bytes the holder may take now; 0 when it has to wait until it gives some back. */
  room(holder: string): number;
  /** Takes that many, even beyond the room there is; call the answer to give them back. */
  take(holder: string, bytes: number): () => void;
}

/** Starts with nothing taken. `drained` is called when half of it was taken and most of that is given back. */
export function createByteBudget(
  { all, each, always }: ByteShares,
  drained: () => void = () => {},
): ByteBudget {
  const taken = new Map<string, number>();
  let total = 0;
  let highest = 0;
  const change = (holder: string, by: number) => {
    const now = (taken.get(holder) ?? 0) + by;
    if (now > 0) taken.set(holder, now);
    else taken.delete(holder);
    total += by;
    highest = Math.max(highest, total);
  };
  return {
    room(holder) {
      const own = taken.get(holder) ?? 0;
      return Math.max(Math.min(each - own, all - total), always - own, 0);
    },
    take(holder, bytes) {
      change(holder, bytes);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        change(holder, -bytes);
        if (highest < all / 2 || total > highest / 4) return;
        highest = total;
        drained();
      };
    },
  };
}
