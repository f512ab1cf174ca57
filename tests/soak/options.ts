import { parseArgs } from 'node:util';

/** The options of a soak. */
export interface SoakOptions {
  minutes: number;
  /** It goes on until so many kills interrupted work, for at most 10 more minutes. */
  kills: number;
  /** Seconds from one kill to the next. */
  killEverySeconds: number;
  /** Calls a second; undefined: 30 % of what the machine carries. */
  rate: number | undefined;
  /** The same seed gives the same order of kills. */
  seed: number;
  /** Ids of the kinds of kills; empty: all. */
  kinds: string[];
  /** Without bad neighbors. */
  alone: boolean;
  /** Seconds before attempts 2 to 5: so soon that within the run everything is delivered or dead. */
  retryDelays: string;
  /** Where the figures are kept, as JSON. */
  json: string | undefined;
}

/** The output of `--help`. */
export const usage = `npm test -- --suite soak [options]
  --minutes N      how long (120)
  --kills N        and on until so many kills interrupted work, for at most 10 more minutes (0)
  --kill-every N   seconds from one kill to the next (60)
  --rate N         calls a second (30 % of what the machine carries)
  --seed N         repeats the order of kills
  --kinds a,b      only these kinds of kills
  --alone          without bad neighbors
  --retry-delays L seconds before delivery attempts 2 to 5 (2,5,15,30)
  --json FILE      keeps the figures
`;

/**
 * Reads the words of the command line; undefined when help was asked for.
 * @throws {Error} naming the word that cannot be used.
 */
export function readOptions(words: readonly string[]): SoakOptions | undefined {
  const { values } = parseArgs({
    args: [...words],
    options: {
      ...{ minutes: { type: 'string', default: '120' }, 'kill-every': { type: 'string', default: '60' } },
      kills: { type: 'string', default: '0' },
      rate: { type: 'string' },
      ...{ seed: { type: 'string' }, kinds: { type: 'string', default: '' }, json: { type: 'string' } },
      'retry-delays': { type: 'string', default: '2,5,15,30' },
      alone: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  return {
    minutes: positive('--minutes', values.minutes),
    kills: countOf('--kills', values.kills),
    killEverySeconds: positive('--kill-every', values['kill-every']),
    rate: values.rate === undefined ? undefined : positive('--rate', values.rate),
    seed: values.seed === undefined ? Date.now() % 1_000_000 : positive('--seed', values.seed),
    kinds: values.kinds.split(',').filter((word) => word !== ''),
    alone: values.alone,
    retryDelays: values['retry-delays'],
    json: values.json,
  };
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`${name} must be a number above 0, is ${text}`);
  return value;
}

function countOf(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${name} must be a whole number, is ${text}`);
  return Number(text);
}
