/** The row of docs/operations/upgrades.md that says how an upgrade goes; tests/upgrade sees each of its cells. */
export function upgradeRow(
  release: { version: string; commit: string; revokesGrants?: true },
  to: string,
): string;
