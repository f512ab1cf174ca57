/** Installs what the package-lock.json of a folder names, unless it is there; no install script runs. `what` is told then. */
export function installApart(folder: string, what: string, signal?: AbortSignal): Promise<void>;

/** Runs a command in such a folder. @throws {Error} with what it printed when it fails. */
export function runApart(
  folder: string,
  command: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<void>;
