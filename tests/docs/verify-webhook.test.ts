import { execFileSync, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifyWebhook } from '@comanda/client/webhooks';
import { afterAll, describe, expect, test } from 'vitest';

interface Delivery {
  secret: string;
  id: string;
  timestamp: string;
  signature: string;
  body: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const samples = join(root, 'examples/verify-webhook');
const drivers = join(root, 'tests/docs/verify-webhook');
const vector = JSON.parse(readFileSync(join(samples, 'vector.json'), 'utf8')) as Delivery;
const at = Number(vector.timestamp);
const work = mkdtempSync(join(tmpdir(), 'comanda-samples-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** How a sample is made ready and run; `needs` are the programs for it, and Debian's package that has them. */
interface Language {
  name: string;
  needs: readonly string[];
  package: string;
  prepare?: () => void;
  command: readonly string[];
}

const driver = (name: string) => join(drivers, name);
const sample = (name: string) => join(samples, name);
const languages: readonly Language[] = [
  { name: 'Python', needs: ['python3'], package: 'python3', command: ['python3', '-B', driver('driver.py')] },
  { name: 'Node', needs: ['node'], package: 'nodejs', command: [process.execPath, driver('driver.mjs')] },
  { name: 'PHP', needs: ['php'], package: 'php-cli', command: ['php', driver('driver.php')] },
  {
    name: 'Java',
    needs: ['javac', 'java'],
    package: 'default-jdk',
    prepare: () => make('javac', ['-d', work, sample('Verify.java'), driver('Driver.java')]),
    command: ['java', '-cp', work, 'Driver'],
  },
  {
    name: 'C#',
    needs: ['mcs', 'mono'],
    package: 'mono-mcs',
    prepare: () =>
      make('mcs', [`-out:${join(work, 'driver.exe')}`, sample('Verify.cs'), driver('Driver.cs')]),
    command: ['mono', join(work, 'driver.exe')],
  },
  {
    name: 'Go',
    needs: ['go'],
    package: 'golang',
    // It builds the files of one folder.
    prepare: () => {
      for (const file of [sample('verify.go'), driver('driver.go')])
        copyFileSync(file, join(work, basename(file)));
      make('go', ['build', '-o', 'driver-go', 'verify.go', 'driver.go']);
    },
    command: [join(work, 'driver-go')],
  },
  { name: 'Ruby', needs: ['ruby'], package: 'ruby', command: ['ruby', driver('driver.rb')] },
];

const other = (signature: string) =>
  signature.replace(/^v1,./, (start) => (start === 'v1,A' ? 'v1,B' : 'v1,A'));

/** The question for each sample, and the answer that it must return. */
const questions: readonly { about: string; given?: Partial<Delivery>; now?: number; answer: boolean }[] = [
  { about: 'the vector', answer: true },
  { about: 'the vector, five minutes old', now: at + 300, answer: true },
  {
    about: 'two signatures, of which the second is right',
    given: { signature: `${other(vector.signature)} ${vector.signature}` },
    answer: true,
  },
  { about: 'a forged signature', given: { signature: other(vector.signature) }, answer: false },
  { about: 'a signature cut short', given: { signature: vector.signature.slice(0, -4) }, answer: false },
  { about: 'an altered body', given: { body: vector.body.replace('12.5', '1.5') }, answer: false },
  { about: 'another id', given: { id: vector.id.replace(/.$/, '0') }, answer: false },
  {
    about: 'another secret',
    given: { secret: `whsec_${Buffer.from('another secret of 32 bytes!!!!!!').toString('base64')}` },
    answer: false,
  },
  { about: 'an old delivery', now: at + 301, answer: false },
  { about: 'one from the future', now: at - 301, answer: false },
  {
    about: 'a timestamp that was moved to now',
    given: { timestamp: String(at + 1000) },
    now: at + 1000,
    answer: false,
  },
  { about: 'a timestamp that is none', given: { timestamp: 'now' }, answer: false },
  { about: 'no signature', given: { signature: '' }, answer: false },
];

test('the test vector is signed as our own deliveries are', async () => {
  const { secret, id, timestamp, signature, body } = vector;
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  const event = await verifyWebhook(secret, headers, body, { now: new Date(at * 1000) });
  expect(event).toEqual(JSON.parse(body));
  const asText = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  expect(signature).not.toBe(`v1,${asText}`);
  expect(readFileSync(join(root, 'docs/guides/verify-a-webhook.md'), 'utf8')).toContain(
    `${Buffer.byteLength(body)} bytes`,
  );
});

const missing = languages.filter(({ needs }) => needs.some((program) => !isThere(program)));
for (const { name, package: from } of missing) {
  console.warn(
    `${name} is not on this machine (Debian: ${from}): its sample of "Verify a webhook" is not run.`,
  );
}

describe.each(languages.filter((language) => !missing.includes(language)))(
  'the sample in $name',
  (language) => {
    test('says yes to what we signed, and no to everything else', { timeout: 120_000 }, () => {
      language.prepare?.();
      const answers = questions.map(({ about, given, now = at }) => ({
        about,
        answer: ask(language, { ...vector, ...given }, now),
      }));
      expect(answers).toEqual(questions.map(({ about, answer }) => ({ about, answer: String(answer) })));
    });
  },
);

function ask({ command: [program = '', ...words] }: Language, delivery: Delivery, now: number): string {
  const { secret, id, timestamp, signature, body } = delivery;
  const args = [...words, samples, secret, id, timestamp, signature, String(now)];
  const { stdout, stderr } = spawnSync(program, args, { input: body, encoding: 'utf8' });
  return stdout.trim() || stderr;
}

function make(program: string, args: readonly string[]): void {
  const env = { ...process.env, GOCACHE: join(work, 'go'), GO111MODULE: 'off' };
  execFileSync(program, args, { stdio: 'pipe', env, cwd: work });
}

function isThere(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}
