import { ApiError } from '../../errors.ts';

/** Exports at a time in one process: each holds a connection for as long as its caller reads. */
const mostAtOnce = 4;

/** How long one waits for its turn. */
const patienceMs = 10_000;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * Waits until an export may begin; the function it gives ends the turn, at the first call. Throws 503 when the turn
 * does not come in 10 s, so that slow readers cannot take the connections that every other request needs.
 */
export async function takeTurn(): Promise<() => void> {
  if (running >= mostAtOnce) await waitForTurn();
  else running += 1;
  let over = false;
  return () => {
    if (over) return;
    over = true;
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };
}

function waitForTurn(): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(begin), 1);
      reject(tooMany());
    }, patienceMs);
    waiting.push(begin);
  });
}

const tooMany = () =>
  new ApiError('internal_error', 'Too many exports are under way; try again shortly.', {
    status: 503,
    headers: { 'Retry-After': '5' },
  });
