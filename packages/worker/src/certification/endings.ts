/** The integration did not do what it should; the message says what, to its makers. */
export class Unmet extends Error {
  override name = 'Unmet';
}

/** The run ended meanwhile: a caller aborted it. */
export class RunOver extends Error {
  override name = 'RunOver';
}
