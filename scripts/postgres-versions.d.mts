export function installVersions(signal?: AbortSignal): Promise<void>;
export function environmentOf(version: string, signal?: AbortSignal): Promise<Record<string, string>>;
