// The frame of pages for people who are not signed in.

import { type ReactNode, useEffect } from 'react'
import { Choices } from '../../ui/choices.tsx'
import { Logo } from '../../ui/logo.tsx'

export function SignedOutPage({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Vidimus`
  }, [title])
  return (
    <div className="flex min-h-dvh flex-col items-center px-4 py-10 sm:py-20">
      <main className="w-full max-w-md">
        <div className="mb-8 flex justify-center">
          <Logo />
        </div>
        <div className="rounded-2xl border border-line bg-surface p-6 sm:p-8">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          {lead !== undefined && <p className="mt-1 text-soft">{lead}</p>}
          <div className="mt-6">{children}</div>
        </div>
      </main>
      <footer className="mt-8">
        <Choices />
      </footer>
    </div>
  )
}
