/** A database that cannot be migrated in its present state; the message says what to do about it. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
  /** A person can fix it in the database, or in a file, while the start waits; then the same start goes on. */
  readonly mendable: boolean;
  constructor(message: string, { mendable = false, ...options }: ErrorOptions & { mendable?: boolean } = {}) {
    super(message, options);
    this.mendable = mendable;
  }
}
