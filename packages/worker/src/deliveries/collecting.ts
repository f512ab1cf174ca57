import {
  again,
  type ByteBudget,
  type Clock,
  createByteBudget,
  deliveryBytes,
  type Loop,
  startLoop,
} from '@comanda/db';

/** So often at most. */
const apartMs = 5_000;

/**
 * The bytes of bodies that this process may hold, and the loop that collects the memory of large ones once they are gone: a
 * worker that then has little to do makes too little garbage for V8 to look.
 */
export function createBodyBytes(clock: Clock): { bytes: ByteBudget; collecting: Loop } {
  let due = false;
  const bytes = createByteBudget(deliveryBytes, () => {
    due = true;
  });
  const collecting = startLoop({
    clock,
    async round() {
      // Where Node runs without --expose-gc memory comes back when V8 next collects it.
      if (due) globalThis.gc?.();
      due = false;
      return again(apartMs);
    },
    ref: false,
  });
  return { bytes, collecting };
}
