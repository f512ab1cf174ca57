/** A release that databases in use were made by. */
export interface Release {
  version: string;
  /** The whole hash of its commit: the program of the release is built from the history of this repository. */
  commit: string;
}

/** The release from which today's version is upgraded: one row, replaced at each release (CONTRIBUTING, "A release"). */
export const releaseBefore: Release = {
  version: '0.1.0',
  commit: 'b2b051a9b3d391804dc6eb27ca96abfef0cef466',
};
