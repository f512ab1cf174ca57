/** Hears how far a work is: so many of so many, and what is under way. */
export type Told = (done: number, of: number, what?: string) => void;

/** Where progress is shown. */
interface Screen {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Does a work that takes long, and shows how far it is: on a terminal alone, on standard error; the line is gone at the end. */
export async function withProgress<Result>(
  work: (told: Told) => Promise<Result>,
  screen: Screen = process.stderr,
): Promise<Result> {
  if (screen.isTTY !== true) return work(() => {});
  try {
    return await work((done, of, what = '') => {
      const share = of === 0 ? 1 : Math.min(done / of, 1);
      const full = Math.round(share * barWidth);
      const bar = '#'.repeat(full).padEnd(barWidth, '.');
      screen.write(`${lineAnew}[${bar}] ${Math.floor(share * 100)} %  ${what}`.trimEnd());
    });
  } finally {
    screen.write(lineAnew);
  }
}

const barWidth = 24;
const lineAnew = '\r\u001b[K';
