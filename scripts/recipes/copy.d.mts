export function copyTree(source: string, copy: string): void;
