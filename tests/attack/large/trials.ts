import { crc32 } from 'node:zlib';
import type { Operation } from '../../../packages/api/src/call/operations.ts';
import { type Filler, fillers } from './fillers.ts';
import { type FillPlace, placesIn } from './places.ts';
import { largest, type Target, targetsOf } from './targets.ts';

/** One large body to send. */
export interface Trial {
  target: Target;
  place: FillPlace;
  filler: Filler;
  bytes: number;
  /** With `Prefer: handling=strict`. */
  strict: boolean;
}

/** Every trial of an operation. */
export const allTrials = (operation: Operation): Trial[] => targetsOf(operation).flatMap(allOf);

/** So many of all that can be sent to an operation, chosen by the seed: none twice, and no entrance left out. */
export function trialsOf(operation: Operation, count: number, seed: number): Trial[] {
  const next = random(seed ^ crc32(operation.name));
  const byTarget = targetsOf(operation).map((target) => shuffled(allOf(target), next));
  const longest = Math.max(...byTarget.map((all) => all.length));
  const inTurn = Array.from({ length: longest }, (_, at) => byTarget.flatMap((all) => all[at] ?? []));
  return inTurn.flat().slice(0, count);
}

/** The content of the request, in words. */
export function nameOf({ target, place, filler, bytes, strict }: Trial): string {
  const where = place.path.map((name) => (name === 0 ? '[0]' : `.${name}`)).join('') || 'the whole of it';
  const preference = strict ? ', handling=strict' : '';
  const size = bytes < largest.ordinary ? `${bytes / 1024} KiB` : `${bytes / largest.ordinary} MiB`;
  return `${target.name}: ${filler.name} as ${filler.as === 'members' ? 'members of ' : ''}${where}, ${size}${preference}`;
}

function allOf(target: Target): Trial[] {
  return placesIn(target.operation, target.outside).flatMap((place) =>
    fillers
      .filter(({ at }) => at.includes(place.site))
      .flatMap((filler) =>
        sizesOf(target, place).flatMap((bytes) =>
          (target.takesPreference ? [true, false] : [false]).map((strict) => ({
            target,
            place,
            filler,
            bytes,
            strict,
          })),
        ),
      ),
  );
}

/** The largest size that is read, a smaller one of a batch, and for the whole body the largest of all. */
function sizesOf({ limit }: Target, { site }: FillPlace): number[] {
  const beyond = site === 'whole' ? largest.batch : limit;
  return [...new Set([Math.min(limit, largest.ordinary), limit, beyond])];
}

function shuffled<Entry>(entries: readonly Entry[], next: () => number): Entry[] {
  return entries
    .map((entry) => ({ entry, rank: next() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ entry }) => entry);
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
