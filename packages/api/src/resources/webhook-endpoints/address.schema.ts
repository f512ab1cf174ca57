import { controlCharacters } from '../../wire.ts';

/** Characters (code points) that the URL of an endpoint may have. */
export const longestUrl = 2048;

// Text that `new URL` would silently trim, strip or repair (blanks, controls, backslashes, missing slashes) is not
// matched.
const never = `\\s${controlCharacters}\\\\`;

/** How every URL of an endpoint is written: absolute, http or https, no blanks, no control characters, no backslashes. */
export const absoluteHttp = new RegExp(`^[Hh][Tt][Tt][Pp][Ss]?://([^/?#${never}]+)([/?#][^${never}]*)?$`);

/** The same, without credentials and without a fragment: what the documents say of it. */
export const webhookUrlPattern = `^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@${never}]+([/?][^#${never}]*)?$`;
