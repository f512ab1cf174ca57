import type { CheckName } from '@comanda/api/services';
import { type Database, newId } from '@comanda/db';
import type { AttemptTools } from '../deliveries/attempt.ts';
import type { Judgment } from './judge.ts';
import {
  type CausedEvent,
  dataOf,
  type Entry,
  type Result,
  type Step,
  type StepName,
  type StepOf,
} from './log.ts';
import { renamed, sendEvent, testEvent } from './sending.ts';
import type { PublishedEvent, TestedEndpoint } from './statements.ts';
import * as sql from './statements.ts';
import { type RunParameters, Watch } from './watch.ts';

/** The dependencies of runs. */
export interface RunTools extends AttemptTools {
  database: Database;
}

/** Which run. */
export interface RunRef {
  locationId: string;
  certificationId: string;
}

/** The error of attempts that were not made. */
const down = 'the endpoint was down (played by a certification)';

/** Does the steps of a run under way. */
export class OpenRun {
  readonly #tools: RunTools;
  readonly #locationId: string;
  readonly #run: RunParameters;
  readonly #watch: Watch;
  /** The check of the step under way. */
  #check: CheckName | undefined;
  #endpoint: TestedEndpoint | undefined;
  readonly #events = new Map<string, PublishedEvent>();
  /** The products that the check made. */
  #externalIds: readonly string[] = [];

  /** Waits end when `signal` aborts. */
  constructor(tools: RunTools, { locationId, certificationId }: RunRef, signal: AbortSignal) {
    this.#tools = tools;
    this.#locationId = locationId;
    this.#run = [locationId, certificationId];
    this.#watch = new Watch(tools, this.#run, signal);
  }

  /** Does the next step of a judgment. Throws `RunOver` when a caller aborted the run. */
  async take({ check, step }: NonNullable<Judgment['next']>, report: Judgment['report']): Promise<Entry> {
    if (this.#check !== undefined && check !== this.#check) {
      await this.#tools.database.run(sql.playFaults, [...this.#run, [], []]);
      await this.removeProducts();
    }
    this.#check = check;
    const newest = await this.#watch.beginStep(check, report);
    const result = await this.#do(step);
    return { check, step: dataOf(step), newest, at: await this.#now(), ...result } as Entry;
  }

  /** The time, as answers show it. */
  async #now(): Promise<string> {
    const [now] = await this.#tools.database.run(sql.readNow, [this.#locationId]);
    return now?.at ?? '';
  }

  /** Removes the products that the check under way has made. */
  async removeProducts(): Promise<void> {
    if (this.#externalIds.length === 0) return;
    await this.#tools.database.run(sql.removeProducts, [this.#locationId, this.#externalIds]);
    this.#externalIds = [];
  }

  async #do(step: Step): Promise<Result<StepName>> {
    const { database } = this.#tools;
    switch (step.name) {
      case 'find_endpoint':
        return this.#findEndpoint();
      case 'play_faults':
        await database.run(sql.playFaults, [...this.#run, step.faults, step.operations]);
        return {};
      case 'cause':
        return { events: await (step.isDown ? this.#whileDown(step.types) : this.#cause(step.types)) };
      case 'send':
        return this.#send(step);
      case 'fail_delivery':
        await this.#recordPlayed(this.#caused(step.eventId), 5, ['dead', null, down]);
        return {};
      case 'cancel_order':
        return this.#cancelOrder(step);
      case 'make_products':
        return this.#makeProducts(step.count);
      case 'wait':
        return this.#watch.wait(step, this.#endpoint?.id);
      case 'settle':
        await this.#watch.settle();
        return {};
    }
  }

  async #findEndpoint(): Promise<Result<'find_endpoint'>> {
    [this.#endpoint] = await this.#tools.database.run(sql.findEndpoint, [this.#locationId]);
    if (this.#endpoint === undefined) return {};
    const { url, events } = this.#endpoint;
    return { endpoint: { url, events } };
  }

  /** The endpoint that a step before has found. */
  #found(): TestedEndpoint {
    if (this.#endpoint === undefined) throw new Error('no endpoint was found before');
    return this.#endpoint;
  }

  async #cause(types: readonly CausedEvent['type'][]): Promise<CausedEvent[]> {
    const events: CausedEvent[] = [];
    for (const type of types) {
      const [newest] = await this.#tools.database.run(sql.newestNumber, [this.#locationId]);
      const behind = newest?.number ?? 0;
      const event = await (type === 'order.created'
        ? this.#placeOrder(behind)
        : this.#changePrice(behind, type));
      if (event === undefined) break;
      events.push(event);
    }
    return events;
  }

  /** An event that a step before has caused. */
  #caused(eventId: string): PublishedEvent {
    const event = this.#events.get(eventId);
    if (event === undefined) throw new Error('the event was not caused before');
    return event;
  }

  /** Causes events while the endpoint is down; their deliveries are not made. */
  async #whileDown(types: readonly CausedEvent['type'][]): Promise<CausedEvent[]> {
    const { database } = this.#tools;
    const held = [...this.#run, this.#found().id];
    await database.run(sql.holdEndpoint, held);
    try {
      return await this.#cause(types);
    } finally {
      await database.run(sql.releaseEndpoint, held);
    }
  }

  async #placeOrder(behind: number): Promise<CausedEvent | undefined> {
    const [locationId, certificationId] = this.#run;
    const values = [locationId, newId(), certificationId];
    const [order] = await this.#tools.database.run(sql.placeOrder, values);
    if (order === undefined) return undefined;
    const { id } = await this.#published(behind, 'order.created', order.id);
    return { id, type: 'order.created', about: order.id };
  }

  async #changePrice(
    behind: number,
    type: 'catalog.updated' | 'product.updated',
  ): Promise<CausedEvent | undefined> {
    const [changed] = await this.#tools.database.run(sql.changePrice, this.#run);
    if (changed === undefined) return undefined;
    const { id } = await this.#published(behind, type, type === 'product.updated' ? changed.id : '');
    return { id, type, about: changed.id, name: changed.name };
  }

  /** Waits until the event of a change is published. */
  async #published(behind: number, type: string, about: string): Promise<PublishedEvent> {
    const event = await this.#watch.look('none', 'The change is published.', 30, async () => {
      const values = [this.#locationId, behind, type, about];
      return (await this.#tools.database.run(sql.nextEvent, values))[0];
    });
    if (event === undefined) throw new Error('the change was not published in time');
    this.#events.set(event.id, event);
    return event;
  }

  async #send({
    eventId,
    isRenamed = false,
    isListed = false,
    ...how
  }: StepOf<'send'>): Promise<Result<'send'>> {
    const endpoint = this.#found();
    const published =
      eventId === undefined
        ? testEvent({ locationId: this.#locationId, endpointId: endpoint.id, at: await this.#now() })
        : this.#caused(eventId);
    const sent = isRenamed ? renamed(published) : published;
    const { ok, responseCode, error } = await sendEvent(this.#tools, this.#locationId, endpoint, sent, how);
    if (isListed)
      await this.#recordPlayed(sent, 1, [ok ? 'delivered' : 'dead', responseCode ?? null, error ?? null]);
    const answer = {
      ok,
      ...(responseCode !== undefined && { responseCode }),
      ...(error !== undefined && { error }),
    };
    return { id: sent.id, type: sent.type, answer };
  }

  async #recordPlayed(
    { id, type }: Pick<PublishedEvent, 'id' | 'type'>,
    attempts: number,
    end: readonly [status: string, responseCode: number | null, error: string | null],
  ): Promise<void> {
    const values = [this.#locationId, this.#found().id, id, type, attempts, ...end];
    await this.#tools.database.run(sql.recordPlayed, values);
  }

  async #cancelOrder(by: StepOf<'cancel_order'>): Promise<Result<'cancel_order'>> {
    const { database } = this.#tools;
    const id = by.orderId ?? (await database.run(sql.findOrder, [this.#locationId, by.placedBy]))[0]?.id;
    const [order] = id === undefined ? [] : await database.run(sql.cancelOrder, [this.#locationId, id]);
    return order === undefined ? {} : { order };
  }

  async #makeProducts(count: number): Promise<Result<'make_products'>> {
    this.#externalIds = Array.from(
      { length: count },
      (_, n) => `certification-${String(n + 1).padStart(3, '0')}`,
    );
    const values = [this.#locationId, this.#externalIds];
    // A run that died has left them.
    await this.#tools.database.run(sql.removeProducts, values);
    return { ids: (await this.#tools.database.run(sql.insertProducts, values)).map(({ id }) => id) };
  }
}
