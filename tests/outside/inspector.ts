import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { makeTestFolder } from '../support/folder.ts';

const packages = join(import.meta.dirname, 'inspector/node_modules');
const program = join(packages, '@modelcontextprotocol/inspector/clients/launcher/build/index.js');
/** The inspector needs Node 22.19, and the tests also run on older ones. */
const node = join(packages, `node-linux-${process.arch}/bin/node`);

/** What the inspector printed: the result, and how it ended. */
export interface Inspected {
  /** 0; 5 where the result of a tool is a refusal. */
  code: number;
  result: Record<string, unknown>;
  stderr: string;
}

/** A server as the inspector connects to it: by its URL, or by a program that it starts. */
export type Server = { url: string; key: string } | { program: string[]; env: Record<string, string> };

/** Runs the command line of the inspector with a home of its own. */
export function inspect(server: Server, ...asked: string[]): Promise<Inspected> {
  const home = makeTestFolder('inspector');
  const args = [program, '--cli', ...ofServer(server), ...asked, ...behind(server)];
  const env = { PATH: process.env.PATH, HOME: home };
  return new Promise((resolve, reject) => {
    const child = execFile(node, args, { env, timeout: 60_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number' && stdout !== '') resolve({ code, result: JSON.parse(stdout), stderr });
      else reject(new Error(`${error?.message}\n${stderr}`));
    });
    child.stdin?.end();
  });
}

function ofServer(server: Server): string[] {
  if ('url' in server)
    return [`${server.url}/mcp`, '--transport', 'http', '--header', `authorization: Bearer ${server.key}`];
  return Object.entries(server.env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
}

const behind = (server: Server): string[] => ('program' in server ? ['--', ...server.program] : []);
