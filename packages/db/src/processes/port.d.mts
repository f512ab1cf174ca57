export function checkPort(host: string, port: number): Promise<void>;
export function freePort(preferred: number): Promise<number>;
