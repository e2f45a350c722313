// Collects traces: accepts OTLP over HTTP as JSON, and reports when the awaited spans have arrived.

import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { once, waitUntil } from '../harness/wait.ts'

export interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly OtlpAttribute[]
  readonly events?: readonly unknown[]
  readonly links?: readonly unknown[]
}

interface OtlpAttribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number }
}

interface Batch {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[] }[]
}

export interface Collector {
  readonly url: string
  readonly bodies: string[]
  readonly headers: IncomingHttpHeaders[]
  /** Resolves with the first batch. */
  readonly requested: Promise<void>
  /** Returns all spans so far once `isEnough` returns true. */
  until(isEnough: (spans: readonly OtlpSpan[]) => boolean): Promise<OtlpSpan[]>
}

export async function startCollector(behaviour: 'takes' | 'refuses' | 'is silent' = 'takes'): Promise<Collector> {
  const bodies: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const spans: OtlpSpan[] = []
  const requested = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    if (behaviour !== 'is silent') {
      response.writeHead(behaviour === 'takes' ? 200 : 400, { 'content-type': 'application/json' }).end('{}')
    }
    if (behaviour === 'takes') {
      bodies.push(body)
      headers.push(request.headers)
      const batch = JSON.parse(body) as Batch
      for (const { scopeSpans } of batch.resourceSpans) for (const { spans: more } of scopeSpans) spans.push(...more)
    }
    requested.resolve()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    headers,
    requested: requested.promise,
    async until(isEnough) {
      await waitUntil('the collector has the spans', () => isEnough(spans))
      return [...spans]
    },
  }
}

export function attributesOf({ attributes }: OtlpSpan): Record<string, string | number | undefined> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))
}
