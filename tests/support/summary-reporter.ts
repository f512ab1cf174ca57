import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { keepDurations } from './durations.ts';

/** How many tests ran, and how many things went wrong. */
export interface Summary {
  passed: number;
  failed: number;
}

/**
 * Ends a run with the line `N passed, N failed`. A file or hook that breaks and an error outside of any
 * test count as failed, and so does a run without a single test. Under scripts/test.mjs, which has the
 * last word, the numbers go to COMANDA_TEST_SUMMARY instead.
 */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const summary = summarize(modules, errors.length);
    if (process.env.COMANDA_DURATIONS === 'yes')
      keepDurations(modules.map((module) => [module.moduleId, secondsOf(module)]));
    if (summary.failed > 0) process.exitCode = 1;
    const file = process.env.COMANDA_TEST_SUMMARY;
    if (file) writeFileSync(file, JSON.stringify(summary));
    else process.stdout.write(`\n${summary.passed} passed, ${summary.failed} failed\n`);
  }
}

function summarize(modules: readonly TestModule[], unhandled: number): Summary {
  const summary = { passed: 0, failed: unhandled };
  for (const module of modules) {
    if (module.errors().length > 0) summary.failed += 1;
    for (const suite of module.children.allSuites()) if (suite.errors().length > 0) summary.failed += 1;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') summary.passed += 1;
      if (state === 'failed') summary.failed += 1;
    }
  }
  return summary.passed + summary.failed === 0 ? { passed: 0, failed: 1 } : summary;
}

/** With its imports and hooks. */
function secondsOf(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic();
  return (collectDuration + duration) / 1_000;
}
