// Counts the answers of status lists, and exports traces if there is a collector.

import type { StatusLists } from './features/trust/outbound/status-lists.ts'
import type { Config } from './platform/config/config.ts'
import type { Log } from './platform/log/log.ts'
import type { Metrics } from './platform/metrics/metrics.ts'
import type { Traces } from './platform/traces/traces.ts'

/** Loads the exporter only if there is a collector. Counts accepted and refused spans, and logs when that changes. */
export async function openTracing({ traces }: Config, metrics: Metrics, log: Log): Promise<Traces | null> {
  if (traces === null) return null
  const { openTraces } = await import('./platform/traces/tracing/open.ts')
  let isTaken = true
  return openTraces(traces, {
    sent(count) {
      metrics.spans.inc({ outcome: 'sent' }, count)
      if (!isTaken) log.info('the collector accepts traces again')
      isTaken = true
    },
    lost(count) {
      metrics.spans.inc({ outcome: 'lost' }, count)
      if (isTaken) log.warn('the collector refuses traces, so they are dropped; see OTEL_EXPORTER_OTLP_ENDPOINT')
      isTaken = false
    },
  })
}

/** Counts the outcome of each status list request and the age of the list. */
export function countAnswers(lists: StatusLists, metrics: Metrics): StatusLists {
  return {
    async find(question) {
      const answer = await lists.find(question)
      if (answer.outcome === 'fetched') {
        metrics.statusAnswers.inc({ outcome: answer.stale ? 'stale' : 'fresh' })
        metrics.statusListAge.observe(Math.max(0, question.nowMs - (answer.fetchedAtMs ?? question.nowMs)) / 1000)
      } else metrics.statusAnswers.inc({ outcome: answer.overBudget !== undefined ? 'over_budget' : 'unavailable' })
      return answer
    },
  }
}
