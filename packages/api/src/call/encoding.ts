/** How the bytes of an answer may be coded. */
export type Encoding = 'br' | 'gzip' | 'identity';

/**
 * The coding of `offered`, the better first, that a caller prefers by its `Accept-Encoding` (RFC 9110, 12.5.3).
 * Without the header, or where it likes none of them better, `identity`: a caller that refuses that as well gets it
 * even so.
 */
export function encodingFor<Offered extends Encoding>(
  accepted: string | undefined,
  offered: readonly Offered[],
): Offered | 'identity' {
  if (accepted === undefined) return 'identity';
  const weights = new Map(accepted.toLowerCase().split(',').map(weighted));
  const rest = weights.get('*');
  let best: Offered | 'identity' = 'identity';
  // A coding that is not mentioned may be used, when nothing better can.
  let most = weights.get('identity') ?? rest ?? 0;
  for (const each of offered) {
    const weight = weights.get(each) ?? rest ?? 0;
    if (weight > most || (weight === most && weight > 0 && best === 'identity'))
      [best, most] = [each, weight];
  }
  return best;
}

function weighted(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
  const quality = parameters.find((text) => text.startsWith('q='));
  return [name.replace(/^x-/, ''), quality === undefined ? 1 : Number(quality.slice(2)) || 0];
}
