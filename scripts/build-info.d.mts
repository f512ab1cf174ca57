export const buildInfo: string;
export function writeBuildInfo(root: string): void;
