/** Something that can be woken; a wake-up while nothing waits is remembered. */
export interface Waker {
  wake(): void;
  /** Settles when it is woken, at once if it was since the last wait. */
  wait(): Promise<void>;
  /** Drops what is remembered. */
  forget(): void;
}

/** Makes one; it serves one waiter. */
export function createWaker(): Waker {
  let woken = false;
  let notify: (() => void) | undefined;
  return {
    wake() {
      woken = true;
      notify?.();
    },
    async wait() {
      if (!woken) {
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
      notify = undefined;
      woken = false;
    },
    forget() {
      woken = false;
    },
  };
}
