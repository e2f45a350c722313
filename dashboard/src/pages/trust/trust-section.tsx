// A section of the trust page: what it is for, its actions and its list.

import type { ReactNode } from 'react'
import { useHere } from '../../session.tsx'

interface SectionProps {
  readonly title: string
  readonly lead: string
  readonly actions: ReactNode
  readonly children: ReactNode
}

export function TrustSection({ title, lead, actions, children }: SectionProps) {
  return (
    <section className="rounded-2xl border border-line bg-surface p-5 sm:p-6">
      <div className="mb-4 flex flex-wrap items-start justify-between gap-3">
        <div className="max-w-[72ch]">
          <h2 className="font-semibold">{title}</h2>
          <p className="text-sm text-soft">{lead}</p>
        </div>
        <div className="flex flex-wrap gap-2 empty:hidden">{actions}</div>
      </div>
      {children}
    </section>
  )
}

export function NothingYet({ children }: { children: ReactNode }) {
  return <p className="border-t border-line pt-4">{children}</p>
}

/** Actions next to a heading, for owners only. */
export function ForOwner({ children }: { children: ReactNode }) {
  return useHere().isOwner ? children : null
}
