export function copyTree(source: string, copy: string): void;
export function linkPackages(source: string, copy: string): void;
export function runIn(copy: string, signal: AbortSignal, args: readonly string[]): Promise<void>;
export function npmTest(
  copy: string,
  signal: AbortSignal,
  words: readonly string[],
): Promise<{ passed: number; failed: number; output: string }>;
