import { expect, test } from 'vitest';

/** Adds a check to a journey. */
type AddCheck = (name: string, run: () => Promise<unknown>) => void;

/**
 * A test of several checks that share what their file has started. All of them run, in their order, and each that failed is listed.
 * `after` tidies up after each.
 */
export function journey(
  title: string,
  addChecks: (check: AddCheck) => void,
  after: () => Promise<unknown> = async () => {},
): void {
  const checks: { name: string; run: () => Promise<unknown> }[] = [];
  addChecks((name, run) => checks.push({ name, run }));
  test(title, { timeout: 600_000 }, async () => {
    expect(checks.length).toBeGreaterThan(1);
    const failed: string[] = [];
    for (const { name, run } of checks) {
      await run().catch((error: Error) => failed.push(`${name}: ${error.stack}`));
      await after();
    }
    expect(failed.join('\n\n')).toBe('');
  });
}
