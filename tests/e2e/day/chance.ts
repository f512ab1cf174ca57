/** Chance that can be repeated: the same seed gives the same day. */
export interface Chance {
  /** A whole number from `first` to `last`, both included. */
  between(first: number, last: number): number;
  /** One of them. */
  pick<Choice>(choices: readonly Choice[]): Choice;
  /** True so many times in a hundred. */
  percent(share: number): boolean;
}

/** Makes one (mulberry32). */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (first: number, last: number) => first + Math.floor(next() * (last - first + 1));
  return {
    between,
    percent: (share) => next() * 100 < share,
    pick(choices) {
      const [choice] = choices.slice(between(0, choices.length - 1));
      if (choice === undefined) throw new Error('nothing to pick from');
      return choice;
    },
  };
}
