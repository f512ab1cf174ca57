import { z } from 'zod';
import { plainInput } from '../../bodies/input.ts';
import { call } from '../../call/call.ts';
import type { Operation } from '../../call/operations.ts';
import type { CallRequest } from '../../call/request.ts';
import type { Caller } from '../../credentials/credentials.ts';
import { grants, type Permission } from '../../permissions.ts';
import type { OrderOverview } from '../../resources/orders/overview.schema.ts';
import type { SalesReport } from '../../resources/sales-reports/schema.ts';
import type { OpenTurn } from '../../resources/turns/schema.ts';
import type { WebhookDelivery, WebhookEndpoint } from '../../resources/webhook-endpoints/schema.ts';

interface Page<Entry> {
  data: Entry[];
  pagination: { limit: number; offset: number; total: number };
}

/** The operations that jobs are made of, and what each answers. */
interface PartAnswers {
  'orders.list': Page<unknown>;
  'orders.overview': OrderOverview;
  'payments.list': Page<unknown>;
  'salesReports.get': SalesReport;
  'turns.getCurrent': OpenTurn;
  'webhookEndpoints.deliveries': Page<WebhookDelivery>;
  'webhookEndpoints.get': WebhookEndpoint;
  'webhookEndpoints.list': Page<WebhookEndpoint>;
}

/** The name of an operation that jobs are made of. */
export type PartName = keyof PartAnswers;

/** A tool that answers by several operations what would take a model many calls. It only reads. */
export interface Job<Input = unknown> {
  /** The name of the tool. */
  name: string;
  title: string;
  description: string;
  /** Of the parts without which there is no answer; each part is refused without its own, too. */
  permission: Permission;
  input: z.ZodObject;
  work(parts: Parts, input: Input): Promise<object>;
}

/** The name that the log and the metrics have for a job: `jobs.order_story`. */
export const jobOperationName = ({ name }: Pick<Job, 'name'>): string => `jobs.${name}`;

/**
 * A job as an operation, so that a call of it is admitted, counted, validated and logged once, as any other. It has no slot
 * of its own, since its parts take theirs one after another.
 */
export const operationOf = (job: Job): Operation => ({
  name: jobOperationName(job),
  kind: 'query',
  meta: { permission: job.permission, summary: job.title, description: job.description },
  input: job.input,
  output: z.unknown(),
  joins: true,
  work: () => {
    throw new Error(`${job.name}: called without the operations that it is made of`);
  },
  routes: [],
  isList: false,
  listsChanges: false,
});

/** The operation of a job for one request, whose key its parts are called with. */
export const operationFor = (
  job: Job,
  operations: ReadonlyMap<string, Operation>,
  request: CallRequest,
): Operation => ({
  ...request.operation,
  ...operationOf(job),
  async work({ ctx, input }) {
    const parts = new Parts(request, ctx.caller, operations);
    const value = await job.work(parts, input);
    return { value: { ...value, ...(parts.leftOut.length > 0 && { left_out: parts.leftOut }) } };
  },
});

/** The operations that one call of a job is made of. */
export class Parts {
  /** The operations that the key may not call, and the permission that each needs. */
  readonly leftOut: { operation: string; permission: Permission }[] = [];
  readonly caller: Caller;
  readonly #request: CallRequest;
  readonly #operations: ReadonlyMap<string, Operation>;

  /** Creates those of a request that was admitted. */
  constructor(request: CallRequest, caller: Caller, operations: ReadonlyMap<string, Operation>) {
    this.#request = request;
    this.caller = caller;
    this.#operations = operations;
  }

  /** Calls a part. Throws what it is refused with. */
  async read<Name extends PartName>(name: Name, input: object): Promise<PartAnswers[Name]> {
    const { refusal, fault, text } = await call({
      ...this.#request,
      operation: this.#operation(name),
      admitted: this.caller,
      simulate: undefined,
      ifNoneMatch: undefined,
      receive: async () => ({
        body: plainInput(input),
        members: {},
        key: { name: 'idempotency_key', key: undefined },
        isStrict: true,
      }),
    });
    if (refusal !== undefined) throw fault ?? refusal;
    if (text === undefined) throw new Error(`${name}: an answer without a text`);
    return JSON.parse(text) as PartAnswers[Name];
  }

  /** Calls a part that the answer can do without; undefined, and `leftOut`, where the key lacks its permission. */
  async readIfGranted<Name extends PartName>(
    name: Name,
    input: object,
  ): Promise<PartAnswers[Name] | undefined> {
    const { permission } = this.#operation(name).meta;
    if (permission === null || grants(this.caller.granted, permission)) return this.read(name, input);
    this.leftOut.push({ operation: name, permission });
    return undefined;
  }

  #operation(name: PartName): Operation {
    const operation = this.#operations.get(name);
    if (operation === undefined) throw new Error(`${name} is no operation`);
    return operation;
  }
}
