// Sends OpenTelemetry spans with listed attributes only: method, route pattern, status and refusal code.

import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { TraceSettings } from '../../config/config.ts'
import { VERSION } from '../../version.ts'
import type { RequestSpan, Step, TracedRequest, Traces } from '../traces.ts'

/** Spans that wait for the collector. Beyond this, the newest are dropped. */
const QUEUE_MAX = 2_048
const SEND_MS_MAX = 5_000
const CLOSE_MS_MAX = 1_000

interface SendingReport {
  /** Called for each batch. */
  sent(count: number): void
  lost(count: number): void
}

export function openTraces({ endpoint, headers, share }: TraceSettings, report: SendingReport): Traces {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: SEND_MS_MAX })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'vidimus', 'service.version': VERSION }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reported(exporter, report),
        maxQueueSize: QUEUE_MAX,
        maxExportBatchSize: 512,
        scheduledDelayMillis: 1_000,
        exportTimeoutMillis: SEND_MS_MAX,
      }),
    ],
  })
  const tracer = provider.getTracer('vidimus', VERSION)
  const current = new AsyncLocalStorage<Span>()
  return {
    begin: (request) => beginRequest(tracer, current, request),
    async job(name, work) {
      const span = tracer.startSpan(`job ${name}`, {
        kind: SpanKind.INTERNAL,
        root: true,
        attributes: { 'vidimus.job': name },
      })
      try {
        return await current.run(span, work)
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR })
        throw error
      } finally {
        span.end()
      }
    },
    note(step) {
      const parent = current.getStore()
      if (parent?.isRecording() !== true) return
      const { name, kind, attributes, failed } = described(step)
      const span = tracer.startSpan(name, { kind, startTime: step.sentAt, attributes }, below(parent))
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(step.sentAt + step.tookMs)
    },
    remember: () => AsyncLocalStorage.snapshot(),
    async close() {
      let timer: NodeJS.Timeout | undefined
      const enough = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_MS_MAX)
      })
      // Failed batches were already counted.
      await Promise.race([provider.shutdown().catch(() => undefined), enough])
      clearTimeout(timer)
    },
  }
}

const below = (parent: Span): Context => trace.setSpan(ROOT_CONTEXT, parent)

function beginRequest(
  tracer: ReturnType<TracerProvider['getTracer']>,
  current: AsyncLocalStorage<Span>,
  { method, route, traceparent }: TracedRequest,
): RequestSpan {
  const attributes = { 'http.request.method': method, 'http.route': route }
  const options = { kind: SpanKind.SERVER, startTime: performance.now(), attributes }
  const span = tracer.startSpan(`${method} ${route}`, options, contextOf(traceparent))
  return {
    traceId: span.spanContext().traceId,
    run: (work) => current.run(span, work),
    end(status, code) {
      span.setAttribute('http.response.status_code', status)
      if (code !== null) span.setAttribute('vidimus.code', code)
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(performance.now())
    },
  }
}

/** W3C Trace Context §3.2; a header that does not match is not a parent. */
function contextOf(traceparent: string | null): Context {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return ROOT_CONTEXT
  const traceFlags = Number.parseInt(flags, 16) & 1
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

function described(step: Step) {
  if (step.kind === 'statement') {
    const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': step.name }
    return { name: step.name, kind: SpanKind.CLIENT, attributes, failed: step.failed }
  }
  const attributes = { 'http.request.method': step.method, 'vidimus.outcome': step.outcome }
  return { name: `outbound ${step.method}`, kind: SpanKind.CLIENT, attributes, failed: step.outcome !== 'answered' }
}

/** Passes batches through unchanged and reports how each ended. */
function reported(exporter: SpanExporter, report: SendingReport): SpanExporter {
  return {
    export(spans, onEnd) {
      exporter.export(spans, (result) => {
        if (result.code === 0) report.sent(spans.length)
        else report.lost(spans.length)
        onEnd(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}
