// The audit trail on a phone, by day: what happened, when, by whom and to what. Details open on tap.

import type { AuditEntry } from '../../../../wire/audit.ts'
import { usePreferences } from '../../preferences.tsx'
import type { Column } from '../../ui/table.tsx'
import { localeOf, Time } from '../../ui/time.tsx'
import { Names } from './audit-names.tsx'

interface AuditCardsProps {
  caption: string
  entries: readonly AuditEntry[]
  called(entry: AuditEntry): string
  /** Shown when the line is opened. */
  columns: readonly Column<AuditEntry>[]
}

export function AuditCards({ caption, entries, called, columns }: AuditCardsProps) {
  const { language } = usePreferences()
  const dayOf = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long' })
  const days = new Map<string, AuditEntry[]>()
  for (const entry of entries) {
    const day = dayOf.format(new Date(entry.at))
    days.set(day, [...(days.get(day) ?? []), entry])
  }
  return (
    <section aria-label={caption} className="space-y-5">
      {[...days].map(([day, ofDay]) => (
        <section key={day}>
          <h2 className="mb-2 text-[13px] font-medium text-soft">{day}</h2>
          <ul className="divide-y divide-line rounded-2xl border border-line bg-surface text-sm">
            {ofDay.map((entry) => (
              <li key={entry.seq}>
                <Card {...{ entry, called, columns }} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </section>
  )
}

function Card({ entry, called, columns }: { entry: AuditEntry } & Pick<AuditCardsProps, 'called' | 'columns'>) {
  return (
    <details className="group">
      <summary className="flex min-h-11 items-center px-4 py-2">
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium group-open:whitespace-normal">{called(entry)}</span>
          <span className="block truncate text-[13px] text-soft group-open:hidden">
            <Names entry={entry} />
          </span>
        </span>
        <span className="ml-3 shrink-0 text-[13px] text-soft">
          <Time at={entry.at} timeOnly />
        </span>
      </summary>
      <dl className="space-y-1 px-4 pb-4">
        {columns.map(({ head, cell }) => (
          <div key={head} className="flex justify-between gap-4 has-[dd:empty]:hidden">
            <dt className="shrink-0 text-soft">{head}</dt>
            <dd className="min-w-0 text-right [overflow-wrap:anywhere]">{cell(entry)}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
