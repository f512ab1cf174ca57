import type { BuildOptions } from 'esbuild';

export const groups: Readonly<Record<string, Readonly<Record<string, string>>>>;
export function bundleOptions(group: string): BuildOptions;
