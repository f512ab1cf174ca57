/**
 * Deprecations: a deprecated operation works as before, and has a better replacement. Days are `YYYY-MM-DD`, in UTC.
 */
export interface Deprecation {
  /** The day of the announcement in CHANGELOG.md. */
  announced: string;
  /** The page that says how to move, like `/docs/guides/v1-to-v2`. */
  guide: `/docs/${string}`;
}

/** A family that will end. */
export interface Ending extends Deprecation {
  /** The last day on which it is served for certain: at least `noticeMonths` after the announcement. */
  sunset: string;
}

/** By family, and by operation of REST (`GET /v1/orders`), which works for as long as its family does. */
export type Deprecations = {
  readonly [Family in 'v1' | 'v2']?: Ending;
} & { readonly [Route in `${Uppercase<string>} /${'v1' | 'v2'}/${string}`]?: Deprecation };

/** How long a family lives after its end was announced. */
export const noticeMonths = 24;

/** The deprecations announced in headers and documents. Nothing is deprecated today. */
export const deprecations: Deprecations = {};
