import { errors, redraw, type Screen } from '@comanda/db/terminal';

/** Hears how far a work is: so many of so many, and what is under way. */
export type Progress = (done: number, of: number, what?: string) => void;

/** Does a work that takes long, and shows how far it is: on a terminal alone, on standard error; the line is gone at the end. */
export async function withProgress<Result>(
  work: (onProgress: Progress) => Promise<Result>,
  screen: Screen = errors,
): Promise<Result> {
  if (screen.isTTY !== true) return work(() => {});
  try {
    return await work((done, of, what = '') => {
      const share = of === 0 ? 1 : Math.min(done / of, 1);
      const full = Math.round(share * barWidth);
      const bar = '#'.repeat(full).padEnd(barWidth, '.');
      redraw(screen, `[${bar}] ${Math.floor(share * 100)} %  ${what}`.trimEnd());
    });
  } finally {
    redraw(screen, '');
  }
}

const barWidth = 24;
