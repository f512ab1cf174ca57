import { execFile, spawnSync } from 'node:child_process';

/** Whether a program is on this machine. */
export const isThere = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** Runs a program to its end; answers what it printed, also when it failed. */
export function run(
  program: string,
  args: readonly string[],
  { env, cwd }: { env: Readonly<Record<string, string | undefined>>; cwd?: string },
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const settings = { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env }, cwd };
    const limits = { maxBuffer: 64 * 1024 * 1024, timeout: 120_000 };
    execFile(program, args, { ...settings, ...limits }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, stdout, stderr: error === null ? stderr : stderr || error.message });
    });
  });
}
