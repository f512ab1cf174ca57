import { errors } from 'undici';
import { begunAnswer } from './answer-status.ts';
import { AddressRefusedError } from './connector.ts';

/** Why a status is not a delivery, or undefined for 2xx. */
export function statusReason(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400 && status !== 304) return `redirect (${status}) is not followed`;
  return `HTTP ${status}`;
}

/**
 * Why no answer came, in words for the endpoint's owner. Built from the error's code alone, so that nothing of
 * the inside (addresses, ports, paths, library texts) gets out.
 */
export function failureReason(error: unknown, hostname: string): string {
  if (error instanceof AddressRefusedError) return error.message;
  const begun = begunAnswer(error);
  const status = begun === undefined ? '' : ` (its status is ${begun.status})`;
  if (error instanceof errors.HTTPParserError) return `the answer is not valid HTTP${status}`;
  const code = errorCode(error);
  const refused = refusedAnswers[code ?? ''];
  if (refused !== undefined) return `${refused}${status}`;
  if (code === undefined) return 'the request failed';
  if (nameNotFound.has(code)) return `host name not found: ${hostname}`;
  const known = reasons[code];
  if (known !== undefined) return known;
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return 'TLS: the handshake failed';
  if (certificateCode.test(code)) return `TLS: the certificate is not trusted (${code})`;
  return `the request failed (${code})`;
}

/** Whether the connection took too long. */
export function isConnectTimeout(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT';
}

/** Whether the connection ended before an answer came. */
export function isConnectionLost(error: unknown): boolean {
  return lost.has(errorCode(error) ?? '');
}

const lost = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

const nameNotFound = new Set(['ENOTFOUND', 'ENODATA', 'EAI_NODATA', 'EAI_NONAME']);

const certificateCode = /^(CERT_|CRL_|UNABLE_TO_|INVALID_CA|PATH_LENGTH_|ERROR_IN_CERT_|ERR_TLS_CERT_)/;

/** Of an answer that began, in words that its status follows. */
const refusedAnswers: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are larger than 64 KiB',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not valid HTTP',
};

const reasons: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'host name could not be resolved at the moment',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset before an answer came',
  EPIPE: 'connection reset before an answer came',
  UND_ERR_SOCKET: 'connection closed before an answer came',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  EHOSTDOWN: 'host unreachable',
  // An assertion of undici about an answer: a status below 100.
  ERR_ASSERTION: 'the answer is not valid HTTP',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'TLS: the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'TLS: the certificate chain is self-signed',
  CERT_HAS_EXPIRED: 'TLS: the certificate has expired',
  CERT_NOT_YET_VALID: 'TLS: the certificate is not yet valid',
  CERT_REVOKED: 'TLS: the certificate is revoked',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'TLS: the certificate chain is incomplete',
  UNABLE_TO_GET_ISSUER_CERT: 'TLS: the certificate chain is incomplete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'TLS: the issuer of the certificate is not known',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: the certificate is for another host name',
};

// Several addresses tried in turn fail together, each for its own reason; the first one's is reported.
function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return errorCode(errors[0]);
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : undefined;
}
