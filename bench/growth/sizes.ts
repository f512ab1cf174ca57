/** The contents of a database of this bench. */
export interface Size {
  locations: number;
  /** Over the last `days`, evenly. */
  orders: number;
  days: number;
  /** So many locations share a size: each represents the mean of as many ranks. */
  ranks: number;
}

/** Ranks of sizes, the largest location first. The largest has 13,000 orders of 5,000,000, the median 290. */
export const ranks = 10_000;

/** The grown database, and one with the same sizes of locations that is a hundred times smaller. */
export const sizes = {
  few: { locations: 100, orders: 50_000, days: 365, ranks: ranks / 100 },
  many: { locations: ranks, orders: 5_000_000, days: 365, ranks: 1 },
} as const satisfies Record<string, Size>;

/** The same in small, which proves that everything runs. */
export const smallSizes = {
  few: { locations: 4, orders: 80, days: 365, ranks: ranks / 4 },
  many: { locations: 20, orders: 400, days: 365, ranks: ranks / 20 },
} as const satisfies Record<string, Size>;

/** Days for which events, deliveries and attempts are there: those of the settings, and the one that goes next. */
export const keptDays = 32;
