/** Chance that can be repeated: the same seed gives the same day. */
export type Chance = ReturnType<typeof createChance>;

/** Makes one (mulberry32). */
export function createChance(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** A whole number from `first` to `last`, both included. */
  const between = (first: number, last: number) => first + Math.floor(next() * (last - first + 1));
  return {
    between,
    /** True so many times in a hundred. */
    percent: (share: number) => next() * 100 < share,
    pick<Choice>(choices: readonly Choice[]): Choice {
      const [choice] = choices.slice(between(0, choices.length - 1));
      if (choice === undefined) throw new Error('nothing to pick from');
      return choice;
    },
  };
}
