// Draws what npm start prints until it serves, and then npm run demo, as they print it: docs/pictures/start-and-demo.svg.
// Run it in a fresh clone, where the start installs: node scripts/pictures/terminal.mjs. Keys are cut; waits are
// shortened to a second.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const columns = 104;
const lineHeight = 17;
/** The shown output: when, in milliseconds, and the text. */
const lines = [];
/** The name in the title of the terminal. */
let current;

const service = run('npm start');
await printed(service, /Try .*\n/);
const demo = run("npm run -s demo | grep -E '^[0-9T]|verified'");
await once(demo.process, 'close');
service.process.kill('SIGINT');
await once(service.process, 'close');
writeFileSync(join(root, 'docs/pictures/start-and-demo.svg'), drawing(lines));

function run(command) {
  lines.push({ at: Date.now(), text: `$ ${command}`, typed: true });
  current = command;
  const child = spawn('sh', ['-c', `exec ${command}`], {
    cwd: root,
    env: { ...process.env, npm_config_loglevel: 'error' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const started = { process: child, output: '' };
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream.setEncoding('utf8').on('data', (chunk) => {
      started.output += chunk;
      const whole = (rest + chunk).split('\n');
      rest = whole.pop() ?? '';
      if (current === command) for (const text of whole) lines.push({ at: Date.now(), text });
    });
  }
  return started;
}

async function printed(started, text) {
  while (!text.test(started.output)) {
    if (started.process.exitCode !== null) throw new Error(started.output);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function drawing(shown) {
  let clock = 0;
  let last = shown[0].at;
  const rows = shown.flatMap(({ at, text, typed }) => {
    clock += Math.min(1_000, at - last);
    last = at;
    const cut = text.replace(/cmd_live_\w+/g, 'cmd_live_…');
    const parts = cut.match(new RegExp(`.{1,${columns}}`, 'gu')) ?? [''];
    return parts.map((part) => ({ part, typed, delay: (clock / 1_000).toFixed(1) }));
  });
  const height = rows.length * lineHeight + 30;
  const width = 850;
  const text = rows.map(({ part, typed, delay }, index) => {
    const y = 28 + index * lineHeight;
    return `<text${typed ? ' class="typed"' : ''} x="16" y="${y}" style="animation-delay:${delay}s">${escaped(part)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A terminal: npm start, then npm run demo">
<style>
text{font:13px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3;white-space:pre;animation:show 1ms both}
.typed{fill:#7ee787}
@keyframes show{from{opacity:0}}
@media (prefers-reduced-motion:reduce){text{animation:none}}
</style>
<rect width="${width}" height="${height}" rx="8" fill="#161b22"/>
${text.filter((line) => !line.endsWith('></text>')).join('\n')}
</svg>
`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
