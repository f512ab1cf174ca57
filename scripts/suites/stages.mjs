// The stages of .ci/run: a suite, with those that run during it, one after the other. A suite in company keeps its output
// until it ends, so that no two are mixed; meanwhile a line a minute reports its progress.
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { countsOf } from './output.mjs';
import { commandOf } from './table.mjs';

/**
 * The suites of .ci/run by their stages, in order: in each the suite that leads it, and those that run during it.
 * @param {readonly import('./table.mjs').Suite[]} suites
 */
export function stagesOf(suites) {
  const all = suites.filter(({ ci }) => ci !== undefined);
  return all
    .filter(({ during }) => during === undefined)
    .map((leader) => [leader, ...all.filter(({ during }) => during === leader.name)]);
}

/**
 * Runs a stage, and gives the outcome of each suite in the order of the stage.
 * @param {readonly import('./table.mjs').Suite[]} stage
 * @param {{ words?: (suite: import('./table.mjs').Suite) => string, everyMs?: number }} [options] `words`: the command of a suite
 */
export async function runStage([leader, ...others], { words = ofCi, everyMs = 60_000 } = {}) {
  if (leader === undefined) return [];
  const inCompany = others.length > 0;
  const one = async (suite) => ({ suite, ...(await run(words(suite), { inCompany, everyMs })) });
  const inTurn = async () => {
    const outcomes = [];
    for (const suite of others) outcomes.push(await one(suite));
    return outcomes;
  };
  return (await Promise.all([one(leader), inTurn()])).flat();
}

const ofCi = (suite) => commandOf(suite, suite.ci);

/**
 * Runs a command, shows what it prints, and counts.
 * @param {string} command @param {{ inCompany?: boolean, everyMs?: number }} [options]
 */
export function run(command, { inCompany = false, everyMs = 60_000 } = {}) {
  const began = performance.now();
  const idle = idleCores();
  const minutes = () => (performance.now() - began) / 60_000;
  const [program, ...args] = command.split(' ');
  const child = spawn(program, args, { stdio: ['inherit', 'pipe', 'pipe'] });
  const output = [];
  let tail = '';
  const show = (stream) => (text) => {
    output.push(text);
    if (!inCompany) stream.write(text);
  };
  child.stdout.setEncoding('utf8').on('data', show(process.stdout));
  child.stdout.on('data', (text) => {
    tail = (tail + text).slice(-1000);
  });
  child.stderr.setEncoding('utf8').on('data', show(process.stderr));
  const sayHowFar = () =>
    console.log(`${command}: ${howFar(output.join(''))}, ${minutes().toFixed(0)} minutes`);
  const timer = inCompany ? setInterval(sayHowFar, everyMs) : undefined;
  // A stage that is ended from outside, as one that took too long, ends its suites and shows their output.
  const farewell = () => {
    child.kill();
    if (inCompany) process.stdout.write(`\n${command}:\n${output.join('')}`);
  };
  process.once('exit', farewell);
  return new Promise((resolve) =>
    child.on('close', (code) => {
      clearInterval(timer);
      process.off('exit', farewell);
      const text = output.join('');
      if (inCompany) process.stdout.write(`\n${command}:\n${text}`);
      resolve({
        command,
        ...countsOf(tail, code),
        output: text,
        minutes: minutes(),
        busy: 100 * (1 - idle()),
      });
    }),
  );
}

/** The files of tests that are done by the lines of vitest, and those among them that failed. @param {string} output */
export function howFar(output) {
  const files = stripVTControlCharacters(output).matchAll(/^ *([✓❯×]) .*?(tests\/\S+\.test\.ts) \(/gm);
  const all = [...files];
  const failed = all.filter(([, mark]) => mark !== '✓').map(([, , file]) => file);
  return [`${all.length} files done`, ...(failed.length > 0 ? [`failed in ${failed.join(' ')}`] : [])].join(
    ', ',
  );
}

/** Begins to measure; what it gives says which part of the cores' time since then was idle. */
function idleCores() {
  const sum = () => {
    const times = cpus().flatMap(({ times }) => Object.entries(times));
    const of = (names) => times.filter(([name]) => names(name)).reduce((all, [, ms]) => all + ms, 0);
    return { idle: of((name) => name === 'idle'), all: of(() => true) };
  };
  const before = sum();
  return () => {
    const after = sum();
    return (after.idle - before.idle) / (after.all - before.all);
  };
}
