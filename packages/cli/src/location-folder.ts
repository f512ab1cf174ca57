import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { CommandError } from '@comanda/api/src/command-error.ts';
import type { WriteTable } from '@comanda/api/src/resources/locations/export.store.ts';
import type { ReadTable } from '@comanda/api/src/resources/locations/import.store.ts';
import { Manifest } from '@comanda/api/src/resources/locations/whole.schema.ts';
import { parse } from './input.ts';

const manifestFile = 'manifest.json';
const aboutBytes = 1024 * 1024;
const mostLines = 2_000;

/** Makes the folder of an export, for its owner alone; one that is there must be empty. Throws CommandError. */
export async function makeFolder(folder: string): Promise<WriteTable> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw new CommandError('invalid_request', `${folder} is not empty: name another folder`);
  return async (file, lines) => {
    const stream = createWriteStream(join(folder, file), { mode: 0o600 });
    const hash = createHash('sha256');
    let [rows, bytes] = [0, 0];
    for await (const some of lines) {
      const chunk = Buffer.from(some.map((line) => `${line}\n`).join(''));
      hash.update(chunk);
      rows += some.length;
      bytes += chunk.length;
      if (!stream.write(chunk)) await once(stream, 'drain');
    }
    stream.end();
    await finished(stream);
    return { rows, bytes, sha256: hash.digest('hex') };
  };
}

/** Empties the folder of an export that was cut off. Throws CommandError where something else is in it. */
export async function emptyFolder(folder: string): Promise<void> {
  const names: string[] = await readdir(folder).catch(() => []);
  const strange = names.find((name) => !/^([a-z_]+\.jsonl|manifest\.json(\.part)?|changes)$/.test(name));
  if (strange !== undefined)
    throw new CommandError('invalid_request', `${folder} has ${strange}, which is of no export`);
  if (names.includes('changes')) await emptyFolder(changesIn(folder));
  for (const name of names) await rm(join(folder, name), { recursive: name === 'changes' });
}

/** The folder for the rows that a copy lacks, next to the export that it was made from. */
export const changesIn = (folder: string): string => join(folder, 'changes');

/** Writes the manifest, last and at once: a folder without it is half an export. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, manifestFile);
  await writeFile(`${path}.part`, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.part`, path);
}

/** The manifest of an export. Throws CommandError where there is none, ApiError for one of another form. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestFile), 'utf8').catch(() => {
    throw new CommandError('invalid_request', `${folder} holds no whole export: there is no ${manifestFile}`);
  });
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new CommandError('invalid_request', `${join(folder, manifestFile)} is not JSON`);
  }
  return parse(Manifest, read);
}

/** Reads the files of an export, and compares each with the manifest: the iteration ends by throwing CommandError where they differ. */
export function readerOf(folder: string): ReadTable {
  return async function* lines({ file, rows, sha256 }) {
    const hash = createHash('sha256');
    const stream = createReadStream(join(folder, file));
    stream.on('data', (chunk) => hash.update(chunk));
    let some: string[] = [];
    let [count, size] = [0, 0];
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      some.push(line);
      count += 1;
      size += line.length;
      if (size < aboutBytes && some.length < mostLines) continue;
      yield some;
      [some, size] = [[], 0];
    }
    if (some.length > 0) yield some;
    if (count !== rows || hash.digest('hex') !== sha256)
      throw new CommandError(
        'invalid_request',
        `${file} differs from the manifest: it was changed, or is incomplete; nothing was imported`,
      );
  };
}
