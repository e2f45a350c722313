// Who is notified when a day's quota runs out, and at which percentages.

import { type FormEvent, useState } from 'react'
import type { UsageAlerts } from '../../../../wire/usage.ts'
import { post } from '../../api.ts'
import { usePreferences } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Button, Card, CheckField, Code, ErrorNote, Note, Skeleton, TextField } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { localeOf } from '../../ui/time.tsx'

const SAMPLE = `{
  "type": "usage.threshold_reached",
  "usage": {
    "environment": "live",
    "day": "2027-06-15",
    "threshold_percent": 80,
    "verifications_created": 812,
    "daily_quota": 1000
  },
  "sent_at": "2027-06-15T12:00:00.000000Z"
}`
/** Percentages that are offered in addition to the chosen ones. */
const SHARES = [50, 80, 90, 100]

export function Alerts() {
  const { words } = usePreferences()
  const alerts = useAnswer('@/usage/alerts')
  const [saved, setSaved] = useState(false)
  const { title, lead } = words.usage.alerts
  return (
    <Card>
      <ErrorNote error={alerts.error} again={() => alerts.refetch()} />
      {alerts.data === undefined ? (
        alerts.error === null && <Skeleton lines={3} />
      ) : (
        // Open if an address is already set.
        <details open={alerts.data.host !== null || saved}>
          <summary className="min-h-8 py-1 font-semibold">
            <h2 className="inline text-base">{title}</h2>
          </summary>
          <p className="mt-3 mb-4 max-w-[62ch] text-soft">{lead}</p>
          <div className="grid gap-x-10 gap-y-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
            <AlertsForm key={JSON.stringify(alerts.data)} alerts={alerts.data} saved={saved} onSaved={setSaved} />
            <PastAlerts alerts={alerts.data} />
          </div>
        </details>
      )}
    </Card>
  )
}

interface FormProps {
  alerts: UsageAlerts
  /** Kept by the card, because saving replaces the form. */
  saved: boolean
  onSaved(saved: boolean): void
}

function AlertsForm({ alerts, saved, onSaved }: FormProps) {
  const { words, language } = usePreferences()
  const here = useHere()
  const act = useAct()
  const alertWords = words.usage.alerts
  const [shares, setShares] = useState(() => new Set(alerts.thresholds.length === 0 ? [80, 100] : alerts.thresholds))
  const [error, setError] = useState<unknown>(null)
  const [stopping, setStopping] = useState(false)
  const percent = new Intl.NumberFormat(language, { style: 'percent' })
  if (!here.mayChange)
    return (
      <p className="text-soft">{alerts.host === null ? alertWords.noRecipient : alertWords.recipient(alerts.host)}</p>
    )
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const url = String(new FormData(event.currentTarget).get('url')).trim()
    setError(null)
    onSaved(false)
    try {
      await act(() => post('@/usage/alerts', { url, thresholds: [...shares] }, here.at()))
      onSaved(true)
    } catch (caught) {
      setError(caught)
    }
  }
  const toggle = (share: number) => {
    onSaved(false)
    const changed = new Set(shares)
    if (!changed.delete(share)) changed.add(share)
    setShares(changed)
  }
  return (
    <>
      <Form onSubmit={submit} className="max-w-xl">
        <TextField
          label={alertWords.url}
          hint={alertWords.urlHint}
          name="url"
          type="url"
          required
          placeholder="https://"
          autoComplete="off"
          defaultValue={alerts.url ?? ''}
        />
        <fieldset className="mb-4">
          <legend className="mb-1 text-sm font-medium">{alertWords.at}</legend>
          <div className="grid grid-cols-2 gap-x-4">
            {[...new Set([...SHARES, ...alerts.thresholds])]
              .sort((a, b) => a - b)
              .map((share) => (
                <CheckField
                  key={share}
                  label={alertWords.percent(percent.format(share / 100))}
                  checked={shares.has(share)}
                  onChange={() => toggle(share)}
                />
              ))}
          </div>
          {shares.size === 0 && <p className="text-sm text-soft">{alertWords.noShare}</p>}
        </fieldset>
        <ErrorNote error={error} />
        {saved && <Note tone="good">{words.saved}</Note>}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" tone="primary" disabled={shares.size === 0}>
            {alertWords.save}
          </Button>
          {alerts.host !== null && (
            <Button tone="danger" onClick={() => setStopping(true)}>
              {alertWords.stop}
            </Button>
          )}
        </div>
      </Form>
      {stopping && (
        <Confirm
          title={alertWords.stopTitle}
          lead={alertWords.stopLead}
          word={alertWords.stop}
          onClose={() => setStopping(false)}
          action={() => {
            onSaved(false)
            return act(() => post('@/usage/alerts', { url: null, thresholds: [] }, here.at()))
          }}
        />
      )}
    </>
  )
}

function PastAlerts({ alerts }: { alerts: UsageAlerts }) {
  const { words, language } = usePreferences()
  const alertWords = words.usage.alerts
  const percent = new Intl.NumberFormat(language, { style: 'percent' })
  const date = new Intl.DateTimeFormat(localeOf(language), { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return (
    <div className="min-w-0 space-y-5">
      {alerts.told.length > 0 && (
        <div>
          <h3 className="mb-1 text-sm font-medium">{alertWords.thisMonth}</h3>
          <ul className="divide-y divide-line text-sm">
            {alerts.told.map(({ threshold, day, outcome }) => {
              const state = outcome === 'delivered' ? 'delivered' : outcome === null ? 'pending' : 'failed'
              return (
                <li key={threshold} className="flex items-center justify-between gap-4 py-2">
                  <span className="tabular-nums">{alertWords.percent(percent.format(threshold / 100))}</span>
                  <span className="flex items-center gap-3 text-soft tabular-nums">
                    {date.format(new Date(`${day}T00:00:00Z`))}{' '}
                    <StatusMark name={state} word={alertWords.states[state]} />
                  </span>
                </li>
              )
            })}
          </ul>
        </div>
      )}
      <details>
        <summary className="min-h-8 text-sm text-accent">{alertWords.sample}</summary>
        <div className="mt-2">
          <Code>{SAMPLE}</Code>
        </div>
      </details>
    </div>
  )
}
