import { onReaderGone, say } from '@comanda/db/terminal';

/** Progress for a person: one line a step, with its seconds, on stdout. */
export interface Progress {
  /** Runs a step and prints `title`, its seconds and what `work` gives as detail. */
  step<T>(title: string, work: () => Promise<T>, detail?: (result: T) => string): Promise<T>;
  /** A line of its own. */
  note(line: string): void;
}

/** The message for a person once everything responds. */
export interface Welcome {
  baseUrl: string;
  /** Null where no demo data was asked for. */
  demoKey: string | null;
  /** Whether the app is served, and a code that signs in to it, where demo data was asked for. */
  app: 'on' | 'off';
  appCode: string | null;
  secondsToReady: number;
}

/** Progress on stdout; a reader that went away (a closed pipe) does not end us. */
export function openProgress(): Progress {
  onReaderGone();
  return {
    async step(title, work, detail) {
      const began = performance.now();
      const result = await work();
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const words = detail?.(result) ?? '';
      say(`  ✓ ${title} (${seconds} s)${words && `: ${words}`}`);
      return result;
    },
    note: (line) => say(`  · ${line}`),
  };
}

/** The addresses, the demo key, and a command that works when pasted. */
export function printWelcome({ baseUrl, demoKey, app, appCode, secondsToReady }: Welcome): void {
  const appLine =
    appCode === null
      ? `  App       ${baseUrl}/app; a link to sign in: npm run -s comanda -- app code`
      : `  App       ${baseUrl}/app#code=${appCode}  (once, within 10 minutes)`;
  const keyLines =
    demoKey === null
      ? [
          '  Key       none yet: npm run -s comanda -- keys create --help',
          `  Try       curl -i '${baseUrl}/readyz'`,
        ]
      : [
          `  Demo key  ${demoKey}`,
          `  Try       curl -s '${baseUrl}/v2/products?limit=2' -H 'Authorization: Bearer ${demoKey}'`,
        ];
  const lines = [
    '',
    `  Comanda is ready after ${secondsToReady.toFixed(1)} s; Ctrl-C stops it.`,
    '',
    `  Base URL  ${baseUrl}`,
    `  Docs      ${baseUrl}/docs`,
    ...(app === 'on' ? [appLine] : []),
    ...keyLines,
    '',
  ];
  say(lines);
}
