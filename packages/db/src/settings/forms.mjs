// The text that each setting allows. Plain JavaScript without dependencies: npm start looks at its settings before
// anything is installed. settings.ts makes values of what passes here.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';

/** The words that a setting may be, where it is one of few. */
export const words = {
  NODE_ENV: ['development', 'production', 'test'],
  LOG_LEVEL: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
  WEBHOOK_TARGETS: ['public', 'any'],
  DELIVERIES: ['on', 'paused'],
  APP: ['on', 'off'],
  SEED_DEMO: ['true', 'false'],
  // Of a URL of a database: what its server must be.
  target_session_attrs: ['any', 'read-write', 'primary', 'read-only', 'standby'],
};

/** The address on which the API listens by default. */
export const fallbacks = { PORT: '3000', HOST: '127.0.0.1' };

/** By variable: what must be so that is not, or undefined. The text is trimmed, and not empty. */
export const forms = {
  NODE_ENV: oneOf(words.NODE_ENV),
  PORT: wholeNumber(0, 65_535),
  HOST: anything,
  DATABASE_URL: postgresUrl,
  DATABASE_DIRECT_URL: postgresUrl,
  DATABASE_OWNER_URL: postgresUrl,
  DATABASE_ROLE_PREFIX: (text) =>
    /^[a-z_][a-z0-9_]{0,49}$/.test(text) ? undefined : 'must be small letters, digits and underscores',
  DATA_DIR: anything,
  LOG_LEVEL: oneOf(words.LOG_LEVEL),
  WEBHOOK_TIMEOUT_MS: wholeNumber(1, 30_000),
  WEBHOOK_RETRY_DELAYS: retryDelays,
  WEBHOOK_TARGETS: oneOf(words.WEBHOOK_TARGETS),
  DELIVERIES: oneOf(words.DELIVERIES),
  WEBHOOK_ALLOW_CIDRS: addressList,
  WEBHOOK_SOURCE_ADDRESSES: addressList,
  IDEMPOTENCY_TTL_HOURS: wholeNumber(1, 8_760),
  KEEP_EVENTS_DAYS: wholeNumber(30, 36_500),
  KEEP_ATTEMPTS_DAYS: wholeNumber(1, 36_500),
  KEEP_SYNC_JOBS_DAYS: wholeNumber(1, 36_500),
  KEEP_AUDIT_DAYS: wholeNumber(30, 36_500),
  KEEP_LIMIT_WINDOWS_DAYS: wholeNumber(1, 36_500),
  KEEP_SET_ASIDE_DAYS: wholeNumber(7, 36_500),
  KEEP_FAILED_JOBS_DAYS: wholeNumber(1, 36_500),
  ENCRYPTION_KEY: encryptionKeys,
  APP: oneOf(words.APP),
  SEED_DEMO: oneOf(words.SEED_DEMO),
  API_PROCESSES: wholeNumber(1, 64),
  API_CONNECTIONS: wholeNumber(5, 500),
  WORKER_CONNECTIONS: wholeNumber(12, 240),
  WORKER_PORT: wholeNumber(0, 65_535),
  DRAIN_SECONDS: wholeNumber(16, 600),
  TRUSTED_PROXIES: addressList,
};

/** Settings that were removed. One that is set is refused: it would have no effect. */
const removed = {
  DATABASE_REPLICA_URL:
    'is no longer a setting: lists, the catalog, exports and reports are read from DATABASE_URL. Unset it',
};

/** Those whose text may be in a file, which the variable with `_FILE` behind its name points to. */
export const secrets = Object.keys(forms).filter((variable) => /_URL$|^ENCRYPTION_KEY$/.test(variable));

/** The variable that names the file of another. */
export const fileVariable = (variable) => `${variable}_FILE`;

/**
 * The environment with the text of each file that it names in the place of the variable, without a line break at the end;
 * or one line that names the first file that cannot be used.
 */
export function readFiles(env) {
  const given = { ...env };
  for (const variable of secrets) {
    const name = fileVariable(variable);
    const path = env[name]?.trim();
    if (!path) continue;
    if (env[variable]?.trim())
      return { given, fault: `${name}: ${variable} is set as well; set one of the two` };
    try {
      given[variable] = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      return { given, fault: `${name}: ${path} cannot be read (${error.code})` };
    }
    if (given[variable].trim() === '') return { given, fault: `${name}: ${path} is empty` };
  }
  return { given };
}

/**
 * One line that names the first setting of an environment that cannot be used, without a secret in it; or undefined.
 * A process that seals nothing needs no ENCRYPTION_KEY in production either.
 */
export function faultIn(env, { seals = true } = {}) {
  const { given, fault: unread } = readFiles(env);
  if (unread !== undefined) return unread;
  for (const [variable, advice] of Object.entries(removed))
    if (given[variable]?.trim() || given[fileVariable(variable)]?.trim()) return `${variable}: ${advice}`;
  for (const [variable, faultOf] of Object.entries(forms)) {
    const text = given[variable]?.trim();
    const fault = text ? faultOf(text) : undefined;
    if (fault !== undefined)
      return `${variable}: ${fault}${secrets.includes(variable) ? '' : ` (got ${JSON.stringify(text)})`}`;
  }
  if (seals && given.NODE_ENV?.trim() === 'production' && !given.ENCRYPTION_KEY?.trim())
    return 'ENCRYPTION_KEY: must be set when NODE_ENV=production';
  return undefined;
}

function anything() {
  return undefined;
}

function oneOf(known) {
  return (text) => (known.includes(text) ? undefined : `must be one of ${known.join(', ')}`);
}

function wholeNumber(least, most) {
  return (text) =>
    /^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most
      ? undefined
      : `must be a whole number from ${least} to ${most}`;
}

function retryDelays(text) {
  const parts = text.split(',').map((part) => part.trim());
  return parts.length === 4 && parts.every((part) => /^\d{1,7}(\.\d{1,3})?$/.test(part))
    ? undefined
    : 'must be four numbers of seconds separated by commas';
}

function addressList(text) {
  const parts = text.split(',').map((part) => part.trim());
  // A zone, as in fe80::1%eth0, means something on one machine alone.
  return parts.every((part) => part === '' || (!part.includes('%') && (isIP(part) !== 0 || isCidr(part))))
    ? undefined
    : 'must be addresses or ranges like 192.0.2.10,203.0.113.0/28 separated by commas';
}

function isCidr(range) {
  const [address = '', bits = '', ...rest] = range.split('/');
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  return family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
}

/** The parts of a URL of a database around its hosts, of which there may be several. */
const aroundHosts = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/s;

/** The hosts of a URL, each with its port where it has one: `a:5432` and `b` of `postgresql://me@a:5432,b/db`. */
export const hostsIn = (url) => (aroundHosts.exec(url)?.[2] ?? '').split(',');

/** The URL with other hosts. */
export const withHosts = (url, hosts) =>
  url.replace(aroundHosts, (_, before, __, after) => `${before}${hosts}${after}`);

/** The role that a URL requires of its server; undefined where it requires none. */
export const wantedOf = (url) => /[?&]target_session_attrs=([^&]*)/.exec(url)?.[1];

/** The URL as `edit` leaves it, whose URL has one host; all hosts stay. */
export function editUrl(url, edit) {
  const hosts = hostsIn(url);
  const edited = new URL(withHosts(url, hosts[0]));
  edit(edited);
  return withHosts(edited.href, hosts.join(','));
}

// A password with such a character ends elsewhere than it seems to: a piece of it would be looked up as a host.
const unescaped =
  'holds a character in its user or password that must be escaped: write "@" as %40, "/" as %2F, "?" as %3F, "#" as %23';

function isUnescaped(text) {
  const [, before = '', hosts = '', rest = ''] = aroundHosts.exec(text) ?? [];
  const [path = ''] = rest.split('?');
  // Of a query only what is no pair: an option may well hold an "@".
  return before.includes('#') || hosts.includes('@') || path.includes('@') || /^\?[^=]*@/.test(rest);
}

function postgresUrl(text) {
  if (isUnescaped(text)) return unescaped;
  const isUrl =
    /^postgres(ql)?:\/\//.test(text) && hostsIn(text).every((host) => URL.canParse(withHosts(text, host)));
  if (!isUrl) return 'must be a URL like postgresql://user:password@host:5432/database';
  const wanted = wantedOf(text);
  return wanted === undefined || words.target_session_attrs.includes(wanted)
    ? undefined
    : `target_session_attrs must be one of ${words.target_session_attrs.join(', ')}`;
}

// Any text of 32 characters or more is a key: of fewer there are neither 32 bytes nor a passphrase.
function encryptionKeys(text) {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length === 1 && !text.includes(':'))
    return text.length >= 32
      ? undefined
      : 'must be 32 bytes in base64 or hex (make one with: openssl rand -base64 32)';
  for (const [index, part] of parts.entries()) {
    const colon = part.indexOf(':');
    if (part.length - colon - 1 < 32) return `key ${index + 1} must be 32 bytes in base64 or hex`;
    if (colon >= 0 && !/^[\w.-]{1,64}$/.test(part.slice(0, colon)))
      return `the id of key ${index + 1} must be 1 to 64 letters, digits, ".", "_" or "-"`;
  }
  return undefined;
}
