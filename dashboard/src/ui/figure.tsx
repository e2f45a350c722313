// A number with its name and explanation. All of it is a link to what it counts.

import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useWords } from '../preferences.tsx'

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

/** The progress of a list of steps: in words, and as a bar. */
export function Progress({ text, done, all }: { text: string; done: number; all: number }) {
  return (
    <div>
      <p role="status" className="mb-2 text-sm font-medium tabular-nums">
        {text}
      </p>
      <div aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-sunken">
        <div className="h-full rounded-full bg-accent" style={{ width: `${all === 0 ? 0 : (100 * done) / all}%` }} />
      </div>
    </div>
  )
}

const BLOCK = 'animate-pulse rounded-2xl bg-sunken'

/** Placeholders of figures and chart. */
export function FiguresSkeleton({ count = 4 }: { count?: 3 | 4 }) {
  const words = useWords()
  return (
    <div role="status" aria-label={words.loading} className="space-y-5">
      <div className={`grid gap-3 sm:gap-5 ${count === 3 ? 'sm:grid-cols-3' : 'grid-cols-2 xl:grid-cols-4'}`}>
        {['all', 'rate', 'time', 'waiting'].slice(0, count).map((name) => (
          <div key={name} className={`${BLOCK} h-32`} />
        ))}
      </div>
      <div className={`${BLOCK} h-80`} />
      <div className="grid gap-5 xl:grid-cols-2">
        <div className={`${BLOCK} h-56`} />
        <div className={`${BLOCK} h-56`} />
      </div>
    </div>
  )
}
