import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '@comanda/api/src/command-error.ts';
import { type Account, lastLines, runTool, type ToolOptions } from '@comanda/embedded';

/** The programs of a whole PostgreSQL; the embedded one has neither pg_dump nor pg_restore. */
export interface Programs {
  /** Runs one to its end, as ourselves unless as an account. @throws {CommandError} with its last words, when it failed. */
  run(name: ProgramName, argv: readonly string[], options?: RunOptions): Promise<void>;
}

/** How a program is run. */
export interface RunOptions extends ToolOptions {
  account?: Account | null;
}

const names = ['initdb', 'pg_ctl', 'pg_dump', 'pg_restore'] as const;
type ProgramName = (typeof names)[number];

const versions = '/usr/lib/postgresql';

/**
 * Finds them: in `folder`, or of the version `major` in Debian's place, the newest unless said, or in the PATH.
 * @throws {CommandError} with what to do.
 */
export function findPrograms(folder?: string, major?: string): Programs {
  const installed = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a)) : [];
  const places =
    folder !== undefined
      ? [folder]
      : [
          ...installed
            .filter((version) => version === (major ?? version))
            .map((version) => join(versions, version, 'bin')),
          ...(process.env.PATH ?? '').split(':'),
        ];
  const found = places.find((place) => names.every((name) => existsSync(join(place, name))));
  if (found === undefined) {
    const which = `PostgreSQL${major === undefined ? '' : ` ${major}`}`;
    throw new CommandError(
      'invalid_request',
      `no ${which} with ${names.join(', ')} is here: install it, or name its folder with --programs`,
    );
  }
  return {
    async run(name, argv, { account = null, ...options } = {}) {
      const { code, output } = await runTool(join(found, name), argv, account, options);
      if (code !== 0) throw new CommandError('internal_error', `${name}: ${lastLines(output)}`);
    },
  };
}
