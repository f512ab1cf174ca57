import { type MadeAttempt, makeAttempt } from './attempt.ts';
import { logAttempt } from './attempt-log.ts';
import { beginning, claim, giveBack, type Position } from './claim.ts';
import type { DeliveryOptions, EndpointLoop } from './endpoint-loop.ts';
import type { EndpointRef } from './endpoint-ref.ts';
import { createPace, type Holder, widthUnder } from './limits.ts';
import { createLookAgain } from './look-again.ts';
import type { ReadyDelivery } from './ready-delivery.ts';

/** How often a lane that waits for slow answers looks for what has become due. */
const lookAgainMs = 1_000;
/** How soon after a look the next one may come for less than half of the slots. */
const lookApartMs = 5;
/** So many attempts are recorded together, or as many as have ended when the first of them has waited so long. */
const recordTogether = 50;
const recordWithinMs = 10;
/** With so many claimed and not recorded, nothing more is claimed. */
const mostHeld = 400;

/**
 * The deliveries under way for one endpoint: claims, sends and records at once; of each statement one is under way at a time.
 *
 * | A delivery is | until | and then is |
 * | --- | --- | --- |
 * | ready | it has a slot, while its address is fresh | in flight |
 * | ready | its address is not fresh any more, or the lane ends | unsent |
 * | in flight | its attempt was made | ended |
 * | in flight | it turns out that it may not be sent | unsent |
 * | ended | it is recorded | let go |
 * | unsent | its claim is given back | let go |
 *
 * Its body counts until it is ended or unsent. What ends wakes the loop, whose next step can do more.
 */
export class Lane {
  readonly #options: DeliveryOptions;
  readonly #endpoint: EndpointRef;
  readonly #loop: EndpointLoop;
  readonly #holder: Holder;
  readonly #pace;
  readonly #lookAgain;
  /** All deliveries that were claimed and not yet let go, by id, with what gives back the bytes of a body that counts. */
  readonly #held = new Map<string, (() => void) | undefined>();
  readonly #ready: ReadyDelivery[] = [];
  readonly #ended: MadeAttempt[] = [];
  readonly #unsent: string[] = [];
  readonly #statements = new Set<'claim' | 'record' | 'return'>();
  /** Where the deliveries that were claimed last go. */
  #origin: string | undefined;
  /** Whether more may be due than the last look brought. */
  #more: boolean;
  #lookedAt: number;
  /** The end of the last look, and when the looks from the beginning to there began: to skip the rest of a burst each time is costly. */
  #after: Position = beginning;
  #begunAt = Number.NEGATIVE_INFINITY;
  #owing: boolean;
  #busy = false;
  #fault: { error: unknown } | undefined;

  constructor(options: DeliveryOptions, endpoint: EndpointRef, loop: EndpointLoop) {
    const { clock, silence } = options;
    this.#options = options;
    this.#endpoint = endpoint;
    this.#loop = loop;
    this.#holder = {
      inFlight: 0,
      isSilent: () => silence.isSilent(endpoint.endpointId),
      wake: () => loop.waker.wake(),
    };
    this.#pace = createPace(clock.now());
    this.#lookAgain = createLookAgain(options, endpoint);
    this.#more = loop.handed.length === 0;
    this.#owing = this.#more;
    this.#lookedAt = this.#more ? Number.NEGATIVE_INFINITY : clock.now();
  }

  /** Why nothing more is claimed. */
  get fault(): { error: unknown } | undefined {
    return this.#fault;
  }

  /** Starts what can be started now; returns after how many milliseconds to come again at the latest. */
  step(): number {
    const now = this.#options.clock.now();
    this.#sendReady(now);
    this.#takeHanded();
    return Math.min(this.#returnUnsent(now), this.#recordEnded(now), this.#claimMore(now));
  }

  /** Whether nothing is claimed, and no statement under way. */
  isIdle(): boolean {
    const waiting = this.#ready.length + this.#unsent.length + this.#ended.length + this.#loop.handed.length;
    return this.#holder.inFlight + waiting + this.#statements.size === 0;
  }

  /** How many deliveries it would send at once if it was handed them; none while others wait here. */
  roomForMore(): number {
    const waits = this.#ready.length + this.#unsent.length + this.#loop.handed.length > 0;
    const asks = this.#statements.has('claim') || this.#statements.has('return');
    if (this.#isEnding() || waits || asks) return 0;
    return Math.max(0, Math.min(this.#room(), mostHeld - this.#held.size));
  }

  /** Whether it did nothing but deliver what it was handed. */
  owesNothing(): boolean {
    return !this.#owing;
  }

  /** Looks for what is due with the next step. */
  lookAnew(): void {
    this.#more = true;
  }

  /** Whether deliveries were claimed since it was last asked. */
  wasBusy(): boolean {
    const was = this.#busy;
    this.#busy = false;
    return was;
  }

  /** Waits for no slot any more: it has ended. */
  leave(): void {
    if (this.#origin !== undefined) this.#options.slots.forget(this.#origin, this.#holder);
  }

  #isEnding(): boolean {
    return this.#loop.stopping || this.#fault !== undefined;
  }

  #room(): number {
    const width = widthUnder(this.#options.load) - this.#holder.inFlight;
    if (this.#origin === undefined) return this.#holder.isSilent() ? 1 : width;
    return Math.min(width, this.#options.slots.room(this.#origin, this.#holder));
  }

  #dropBody(id: string): void {
    this.#held.get(id)?.();
    this.#held.set(id, undefined);
  }

  /** Ready, in flight: as many as have a slot and are fresh. */
  #sendReady(now: number): void {
    for (let room = this.#room(); room > 0 && !this.#isEnding(); room -= 1) {
      const [next] = this.#ready;
      if (next === undefined || next.sendBy <= now) return;
      this.#ready.shift();
      this.#send(next);
    }
  }

  /** In flight, and then ended or unsent. */
  #send(ready: ReadyDelivery): void {
    const { load, slots } = this.#options;
    const { id, url } = ready.delivery;
    const giveUpSlot = slots.take(originOf(url), this.#holder);
    load.inFlight += 1;
    makeAttempt(this.#options, ready, this.#lookAgain).then((made) => {
      giveUpSlot();
      this.#dropBody(id);
      load.inFlight -= 1;
      if (made?.ok !== true) this.#owing = true;
      if (made === undefined) this.#unsent.push(id);
      else {
        this.#note(ready, made);
        this.#ended.push(made);
      }
      this.#loop.waker.wake();
    });
  }

  #note({ delivery }: ReadyDelivery, made: MadeAttempt): void {
    const { health, log, meter, retryDelaysSeconds, silence } = this.#options;
    const { endpointId, locationId } = this.#endpoint;
    this.#pace.count();
    meter.observe(locationId, made.ok, made.durationMs);
    health.note(this.#endpoint, made.ok);
    silence.note(endpointId, { ok: made.ok, timedOut: made.timedOut === true });
    logAttempt(log, this.#endpoint, delivery, made, retryDelaysSeconds.length + 1);
  }

  /** Runs a statement; when it is done, lets the deliveries go that it was about. */
  #start(kind: 'claim' | 'record' | 'return', ids: readonly string[], done: Promise<unknown>): void {
    this.#statements.add(kind);
    done
      .catch((error: unknown) => {
        this.#fault ??= { error };
      })
      .then(() => {
        for (const id of ids) this.#held.delete(id);
        this.#statements.delete(kind);
        this.#loop.waker.wake();
      });
  }

  #takeHanded(): void {
    if (this.#loop.handed.length === 0) return;
    this.#busy = true;
    this.#takeUp(this.#loop.handed.splice(0));
  }

  #takeUp(claimed: readonly ReadyDelivery[]): void {
    const { bytes } = this.#options;
    for (const { delivery, body } of claimed) {
      this.#held.set(delivery.id, bytes.take(this.#endpoint.endpointId, body.length));
      this.#moveTo(originOf(delivery.url));
    }
    // However long the database took: what has a slot goes at once, looked at again where it is not fresh any more.
    const free = this.#isEnding() ? 0 : Math.max(0, this.#room());
    for (const one of claimed.slice(0, free)) this.#send(one);
    this.#ready.push(...claimed.slice(free));
  }

  #moveTo(origin: string): void {
    if (this.#origin !== origin) this.leave();
    this.#origin = origin;
  }

  /** Ready, unsent, let go: what is not sent after all is given back. */
  #returnUnsent(now: number): number {
    const [first] = this.#ready;
    const stale = first !== undefined && (this.#isEnding() || first.sendBy <= now);
    if ((stale || this.#unsent.length > 0) && !this.#statements.has('return')) {
      const waited = stale ? this.#ready.splice(0).map(({ delivery }) => delivery.id) : [];
      for (const id of waited) this.#dropBody(id);
      const ids = [...this.#unsent.splice(0), ...waited];
      this.#owing = true;
      this.#more = true;
      this.#after = beginning;
      this.#start('return', ids, giveBack(this.#options, this.#endpoint, ids));
    }
    return first === undefined ? lookAgainMs : first.sendBy - now;
  }

  /** Ended, let go. */
  #recordEnded(now: number): number {
    const [first] = this.#ended;
    if (first === undefined || this.#statements.has('record')) return lookAgainMs;
    const restMs = recordWithinMs - (now - first.endedAt);
    const last = this.#holder.inFlight + this.#ready.length === 0 && !this.#statements.has('claim');
    if (restMs > 0 && this.#ended.length < recordTogether && !last) return restMs;
    const made = this.#ended.splice(0);
    const ids = made.map(({ deliveryId }) => deliveryId);
    const recording = this.#options.recorder.record(this.#endpoint, made).then((whole) => {
      if (!whole) this.#owing = true;
    });
    this.#start('record', ids, recording);
    return lookAgainMs;
  }

  /** Claimed, ready: as many as slots and the pace of the endpoint have room for. */
  #claimMore(now: number): number {
    const { bytes, load } = this.#options;
    const isFull = this.#held.size >= mostHeld || bytes.room(this.#endpoint.endpointId) === 0;
    if (this.#isEnding() || this.#statements.has('claim') || isFull) return lookAgainMs;
    const sinceMs = now - this.#lookedAt;
    if (!this.#more && !this.#loop.again && sinceMs < lookAgainMs) return lookAgainMs - sinceMs;
    const ahead = this.#pace.ahead(now);
    const most = this.#room() - this.#ready.length + ahead;
    if (most <= 0 || this.#ready.length > ahead / 2) return lookAgainMs;
    if (ahead === 0 && most < widthUnder(load) / 2 && sinceMs < lookApartMs) return lookApartMs - sinceMs;
    this.#loop.again = false;
    this.#owing = true;
    this.#more = false;
    this.#lookedAt = now;
    if (this.#after === beginning) this.#begunAt = now;
    this.#start('claim', [], this.#look(most));
    return lookAgainMs;
  }

  async #look(most: number): Promise<void> {
    const { bytes } = this.#options;
    const { endpointId } = this.#endpoint;
    const wanted = bytes.room(endpointId);
    const giveBackRoom = bytes.take(endpointId, wanted);
    const limits = { most, bytes: wanted };
    const held = [...this.#held.keys()];
    const looked = await claim(this.#options, this.#endpoint, limits, held, this.#after).finally(
      giveBackRoom,
    );
    const { found, claimed, last = beginning } = looked;
    const isFull = found === most || looked.bytes >= wanted;
    // Only a look from the beginning shows that nothing more is due.
    if (isFull || this.#after !== beginning) this.#more = true;
    this.#after = isFull && this.#lookedAt - this.#begunAt < lookAgainMs ? last : beginning;
    if (found > 0) this.#busy = true;
    this.#takeUp(claimed);
  }
}

// The sender judges addresses; here it is enough that one address is one place.
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
