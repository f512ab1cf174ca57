import { pause } from './pause.ts';

/** A call that may go. @internal */
export interface Turn {
  /** Takes what an answer to it says of the limits. */
  hear(headers: Headers): void;
  /** It has ended: the next one may go. */
  leave(): void;
}

/** Lets calls go as the limits of the key allow it. @internal */
export interface Pace {
  /** Waits until a call may go. One whose signal ends it leaves by itself, and waits for ever. */
  turn(signal: AbortSignal): Promise<Turn>;
  /** Lets none go for so long: the limit is reached. */
  close(ms: number): void;
}

/**
 * The pace of a client that waits for its limits. At most as many calls are under way as the last answer said are left,
 * and always one: with other processes of the service the number is the part that one of them has at hand, which may be
 * too small.
 */
export function createPace(): Pace {
  const waiting = new Set<() => void>();
  let underWay = 0;
  // Unknown: the first call finds out.
  let left = 1;
  let heard = 0;
  let closings = 0;

  const next = () => {
    for (const go of waiting) {
      if (closings > 0 || underWay >= Math.max(1, left)) return;
      underWay += 1;
      waiting.delete(go);
      go();
    }
  };

  return {
    turn: (signal) =>
      new Promise((resolve) => {
        let isOver = false;
        let before = 0;
        const hear = (headers: Headers) => {
          const said = Number(headers.get('x-ratelimit-remaining') ?? Number.NaN);
          // Answers overtake each other: more is left where nothing was heard since it was sent.
          if (!(said < left || (said > left && before === heard))) return;
          left = said;
          heard += 1;
        };
        const go = () => {
          before = heard;
          resolve({ hear, leave });
        };
        const leave = () => {
          if (isOver) return;
          isOver = true;
          signal.removeEventListener('abort', leave);
          if (!waiting.delete(go)) underWay -= 1;
          next();
        };
        signal.addEventListener('abort', leave);
        waiting.add(go);
        if (signal.aborted) leave();
        else next();
      }),
    close(ms) {
      // The next answer says what the next window has.
      left = 1;
      closings += 1;
      void pause(ms, undefined).then(() => {
        closings -= 1;
        next();
      });
    },
  };
}
