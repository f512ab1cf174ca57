import { ApiError } from '../errors.ts';

/**
 * Exports at a time in one process, in all and of one location: each holds a connection for as long as its caller reads.
 * The last is left to a location that runs none.
 */
const most = { all: 4, location: 2 } as const;

/** How long one waits for its turn. */
const patienceMs = 10_000;

/** The location of each that runs. */
const running: string[] = [];
const waiting: { locationId: string; begin(): void }[] = [];

/**
 * Waits until an export of the location may begin; the function it gives ends the turn, at the first call. Throws 503 when
 * the turn does not come in 10 s, so that slow readers cannot take the connections that every other request needs.
 */
export async function takeTurn(locationId: string): Promise<() => void> {
  if (hasRoom(locationId)) running.push(locationId);
  else await waitForTurn(locationId);
  let over = false;
  return () => {
    if (over) return;
    over = true;
    running.splice(running.indexOf(locationId), 1);
    const next = waiting.findIndex((waiter) => hasRoom(waiter.locationId));
    for (const { begin } of next < 0 ? [] : waiting.splice(next, 1)) begin();
  };
}

function hasRoom(locationId: string): boolean {
  const own = running.filter((other) => other === locationId).length;
  return own === 0 ? running.length < most.all : own < most.location && running.length < most.all - 1;
}

function waitForTurn(locationId: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const waiter = {
      locationId,
      begin() {
        clearTimeout(timer);
        running.push(locationId);
        resolve();
      },
    };
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(waiter), 1);
      reject(tooMany());
    }, patienceMs);
    waiting.push(waiter);
  });
}

const tooMany = () =>
  new ApiError('internal_error', 'Too many exports are under way; try again shortly.', {
    status: 503,
    headers: { 'Retry-After': '5' },
  });
