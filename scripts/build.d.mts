import type { BuildOptions } from 'esbuild';

export const groups: Readonly<Record<string, Readonly<Record<string, string>>>>;
/** The groups of `extras/` that belong to a running service, as far as this tree has them. */
export const extraGroups: readonly string[];
export function bundleOptions(group: string): BuildOptions;
