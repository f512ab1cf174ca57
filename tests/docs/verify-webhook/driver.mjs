import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, secret, id, timestamp, signature, now] = process.argv.slice(2);
const { verify } = await import(pathToFileURL(join(folder, 'verify.mjs')).href);
console.log(verify(secret, id, timestamp, signature, readFileSync(0), Number(now)));
