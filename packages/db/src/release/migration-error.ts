/** A database that cannot be migrated as it stands; the message says what to do about it. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
  /** Somebody can mend it in the database, or in a file while that runs; then the same start goes on. */
  readonly mendable: boolean;
  constructor(message: string, { mendable = false, ...options }: ErrorOptions & { mendable?: boolean } = {}) {
    super(message, options);
    this.mendable = mendable;
  }
}
