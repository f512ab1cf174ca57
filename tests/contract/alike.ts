import type { Kitchen } from './kitchen.ts';

/** The value with what differs from kitchen to kitchen named by its kind: ids, moments, secrets. */
export function alike(value: unknown, { locationId }: Kitchen): unknown {
  const seen = new Map([[locationId, '<location>']]);
  const name = (id: string) => {
    if (!seen.has(id)) seen.set(id, `<id ${seen.size}>`);
    return seen.get(id) ?? '';
  };
  const text = JSON.stringify(value ?? null)
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, name)
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d/g, '<moment>')
    .replace(/whsec_[A-Za-z0-9+/=]+/g, '<secret>');
  return JSON.parse(text);
}
