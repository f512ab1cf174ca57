import { type Deprecation, type Deprecations, type Ending, noticeMonths } from '../deprecations.ts';
import type { Operation } from './operations.ts';

/** The deprecation of an operation: by itself, or with its family. */
export type DeprecatedRoute = Deprecation & Partial<Pick<Ending, 'sunset'>>;

/**
 * The deprecations, by method and path. Throws for an operation that is not served, a day that is none, and a family
 * that would end too early: the service does not start with these.
 */
export function deprecatedRoutes(
  operations: readonly Operation[],
  table: Deprecations,
): Map<string, DeprecatedRoute> {
  const found = new Map<string, DeprecatedRoute>();
  const byRoute: Readonly<Record<string, Deprecation | undefined>> = table;
  const unknown = new Set(Object.keys(table));
  for (const { version, method, path } of operations.flatMap(({ routes }) => routes)) {
    const name = `${method} ${path}`;
    for (const used of [version, name]) unknown.delete(used);
    const [family, own] = [table[version], byRoute[name]];
    if (family !== undefined) refuseHaste(version, family);
    if (own !== undefined) dayOf(own.announced);
    if (family !== undefined || own !== undefined) found.set(name, { ...family, ...own } as DeprecatedRoute);
  }
  if (unknown.size > 0) throw new Error(`deprecations: ${[...unknown].join(', ')} is not served`);
  return found;
}

/** The headers of every answer of it: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and a `Link` to how to move. */
export function deprecationHeaders({ announced, sunset, guide }: DeprecatedRoute): Record<string, string> {
  return {
    Deprecation: `@${dayOf(announced).getTime() / 1_000}`,
    ...(sunset !== undefined && { Sunset: dayOf(sunset).toUTCString() }),
    Link: `<${guide}>; rel="deprecation"; type="text/html"`,
  };
}

function refuseHaste(family: string, { announced, sunset }: Ending): void {
  const earliest = dayOf(announced);
  earliest.setUTCMonth(earliest.getUTCMonth() + noticeMonths);
  if (dayOf(sunset) < earliest)
    throw new Error(
      `deprecations: ${family} lives ${noticeMonths} months after ${announced}, not until ${sunset}`,
    );
}

function dayOf(text: string): Date {
  const day = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(`${text}T`))
    throw new Error(`deprecations: ${text} is no day like 2027-03-01`);
  return day;
}
