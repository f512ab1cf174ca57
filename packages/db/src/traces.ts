import {
  type Attributes,
  context,
  isSpanContextValid,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';

/** Something under way that a trace may show. */
export interface Traced {
  /**
   * The context for calls made for it: its own span where an SDK records, else the one it began with. W3C Trace
   * Context, version 00.
   */
  readonly traceparent: string | undefined;
  /** Does `work`; what an SDK's instrumentations see in it hangs beneath this span. */
  within<Result>(work: () => Result): Result;
  /** Ends it with its outcome; an error is named by its class alone, as messages may hold a caller's data. */
  end(attributes?: Attributes, error?: unknown): void;
}

/** The kinds of spans, by OpenTelemetry's conventions. */
export const spanKinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };

// An SDK is preloaded (`node --import`), so it is there by now or never. Without one nothing is made for a span.
const provider = trace.getTracerProvider();
const tracer =
  provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer('comanda')
    : provider.getTracer('comanda');

/** Begins a span beneath `parent`, a traceparent, or beneath nothing. */
export function beginSpan(
  name: string,
  kind: keyof typeof spanKinds,
  parent: string | undefined,
  attributes: Attributes = {},
): Traced {
  if (tracer === undefined) return { traceparent: parent, within: (work) => work(), end: () => {} };
  const around =
    parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent));
  const span = tracer.startSpan(name, { kind: spanKinds[kind], attributes }, around);
  const inside = trace.setSpan(around, span);
  return {
    traceparent: isSpanContextValid(span.spanContext()) ? textOf(span.spanContext()) : parent,
    within: (work) => context.with(inside, work),
    end(more = {}, error) {
      span.setAttributes(more);
      if (error !== undefined) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute('error.type', error instanceof Error ? error.name : String(error));
      }
      span.end();
    },
  };
}

/**
 * A `traceparent` header as version 00 writes it; undefined when it is none, which is no fault of the call. Of a later version
 * what 00 knows is read, as its text says; `tracestate` is not kept.
 */
export function traceparentOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  const [, version, traceId = '', spanId = '', flags = '', rest] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED };
  return isSpanContextValid(found) ? textOf(found) : undefined;
}

/** The trace of a traceparent, for lines of a log. */
export const traceIdOf = (traceparent: string | null | undefined): string | undefined =>
  traceparent?.slice(3, 35);

function spanContextOf(traceparent: string): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

const textOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
