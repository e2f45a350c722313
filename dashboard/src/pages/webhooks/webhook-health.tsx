// Webhooks of the last hours: success rate and response time.

import type { Webhooks } from '../../../../wire/webhooks.ts'
import { usePageWords, usePreferences } from '../../preferences.tsx'
import { Card } from '../../ui/parts.tsx'
import { Spark } from '../../ui/spark.tsx'
import { webhookWords } from '../../words/webhooks.ts'

export function Health({ health }: { health: Webhooks['health'] }) {
  const words = usePageWords(webhookWords)
  const { language } = usePreferences()
  const number = new Intl.NumberFormat(language)
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })
  const attempts = sum(health.map((hour) => hour.attempts))
  const delivered = sum(health.map((hour) => hour.delivered))
  const mean = attempts === 0 ? 0 : sum(health.map((hour) => hour.mean_ms * hour.attempts)) / attempts
  const slowest = Math.max(0, ...health.map((hour) => hour.slowest_ms))
  return (
    <Card title={words.health}>
      {attempts === 0 ? (
        <p className="text-soft">{words.noAttempts}</p>
      ) : (
        <div className="grid gap-6 sm:grid-cols-2">
          <div className="flex flex-col">
            <p className={`text-xl font-semibold tabular-nums ${delivered / attempts < ALARMING ? 'text-bad' : ''}`}>
              {words.accepted(percent.format(floored(delivered / attempts)))}
            </p>
            <p className="mb-3 text-sm text-soft">
              {words.ofAttempts(number.format(delivered), number.format(attempts))}
            </p>
            <Spark
              className="mt-auto h-10 w-full max-w-72"
              label={words.sparkAttempts}
              bars={health.map((hour) => ({
                key: hour.hour,
                value: hour.attempts,
                bad: hour.attempts - hour.delivered,
              }))}
            />
          </div>
          <div className="flex flex-col">
            <p className="text-xl font-semibold tabular-nums">{number.format(Math.round(mean))} ms</p>
            <p className="mb-3 text-sm text-soft">{words.answered(number.format(slowest))}</p>
            <Spark
              className="mt-auto h-10 w-full max-w-72"
              label={words.sparkTimes}
              bars={health.map((hour) => ({ key: hour.hour, value: hour.mean_ms }))}
            />
          </div>
        </div>
      )}
    </Card>
  )
}

/** Below this rate, the receiver has a problem and not just a single message. */
const ALARMING = 0.95

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0)
/** Rounded down: never 100 % if an attempt failed. */
const floored = (share: number) => Math.floor(share * 1000) / 1000
