// The trail on a phone: what happened and when, below it who did it and to what; the ways there and the rest behind a tap.

import type { AuditEntry } from '../../../../wire/audit.ts'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { Names } from './audit-names.tsx'

interface AuditCardsProps {
  caption: string
  entries: readonly AuditEntry[]
  called(entry: AuditEntry): string
  /** What a line does not say. */
  columns: readonly Column<AuditEntry>[]
}

export function AuditCards({ caption, entries, called, columns }: AuditCardsProps) {
  return (
    <ul aria-label={caption} className="divide-y divide-line rounded-2xl border border-line bg-surface text-sm">
      {entries.map((entry) => (
        <li key={entry.seq}>
          <details className="group">
            <summary className="flex min-h-11 items-center px-4 py-2">
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium group-open:whitespace-normal">{called(entry)}</span>
                <span className="block truncate text-[13px] text-soft group-open:hidden">
                  <Names entry={entry} />
                </span>
              </span>
              <span className="ml-3 shrink-0 text-[13px] text-soft">
                <Time at={entry.at} short />
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
        </li>
      ))}
    </ul>
  )
}
