export const words: {
  readonly NODE_ENV: readonly ['development', 'production', 'test'];
  readonly LOG_LEVEL: readonly ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
  readonly WEBHOOK_TARGETS: readonly ['public', 'any'];
  readonly DELIVERIES: readonly ['on', 'paused'];
  readonly APP: readonly ['on', 'off'];
  readonly SEED_DEMO: readonly ['true', 'false'];
  readonly target_session_attrs: readonly ['any', 'read-write', 'primary', 'read-only', 'standby'];
};
export const fallbacks: { readonly PORT: string; readonly HOST: string };
export const forms: Readonly<Record<string, (text: string) => string | undefined>>;
export function faultIn(
  env: Readonly<Record<string, string | undefined>>,
  needs?: { seals?: boolean },
): string | undefined;
export const secrets: readonly string[];
export function hostsIn(url: string): string[];
export function withHosts(url: string, hosts: string): string;
export function wantedOf(url: string): string | undefined;
export function editUrl(url: string, edit: (url: URL) => void): string;
export function fileVariable(variable: string): string;
export function readFiles(env: Readonly<Record<string, string | undefined>>): {
  given: Readonly<Record<string, string | undefined>>;
  fault?: string;
};
