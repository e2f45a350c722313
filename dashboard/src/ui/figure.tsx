// One number of a page with its name and what there is to say about it; the whole of it leads to what it counts.

import type { ReactNode } from 'react'
import { Link } from 'react-router'

export function Figure({
  name,
  value,
  note,
  to,
  children,
}: {
  name: string
  value: ReactNode
  note: ReactNode
  to?: string
  children?: ReactNode
}) {
  return (
    <div
      className={`relative rounded-2xl border border-line bg-surface p-4 sm:p-5 ${to === undefined ? '' : 'transition-colors hover:border-soft/60'}`}
    >
      <dt className="text-sm text-soft">
        {to === undefined ? (
          name
        ) : (
          <Link to={to} className="after:absolute after:inset-0 after:rounded-2xl hover:underline">
            {name}
          </Link>
        )}
      </dt>
      <dd className="mt-1 text-2xl font-semibold tracking-tight tabular-nums sm:text-3xl">{value}</dd>
      {children !== undefined && <dd>{children}</dd>}
      <dd className="mt-1 text-xs text-soft sm:text-sm">{note ?? '\u00a0'}</dd>
    </div>
  )
}
