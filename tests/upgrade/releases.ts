/** A release that databases in use were made by. */
export interface Release {
  version: string;
  /** The whole hash of its commit: the program of the release is built from the history of this repository. */
  commit: string;
  /** Its `comanda migrate` takes back what a newer version granted to the roles; the next run of the newer one grants it again. */
  revokesGrants?: true;
}

/** The release from which today's version is upgraded: one row, replaced at each release (CONTRIBUTING, "A release"). */
export const releaseBefore: Release = {
  version: '0.1.0',
  commit: '98a8ce15ad62f1552fe6a0e4ffb1cf19ef3037a0',
  revokesGrants: true,
};
