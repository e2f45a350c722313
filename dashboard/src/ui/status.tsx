// A state with icon, word and colour, because colour alone is not accessible.

import { useWords } from '../preferences.tsx'

type Name =
  | 'pending'
  | 'completed'
  | 'failed'
  | 'expired'
  | 'active'
  | 'revoked'
  | 'delivered'
  | 'held'
  | 'ok'
  | 'warning'

const LOOKS: Record<Name, { colour: string; path: string }> = {
  pending: { colour: 'text-accent bg-accent-soft', path: 'M8 4.5V8l2.4 1.6' },
  completed: { colour: 'text-good bg-good-soft', path: 'M4.8 8.3l2.2 2.2 4.2-4.6' },
  delivered: { colour: 'text-good bg-good-soft', path: 'M4.8 8.3l2.2 2.2 4.2-4.6' },
  active: { colour: 'text-good bg-good-soft', path: 'M4.8 8.3l2.2 2.2 4.2-4.6' },
  ok: { colour: 'text-good bg-good-soft', path: 'M4.8 8.3l2.2 2.2 4.2-4.6' },
  failed: { colour: 'text-bad bg-bad-soft', path: 'M5.5 5.5l5 5m0-5l-5 5' },
  revoked: { colour: 'text-bad bg-bad-soft', path: 'M5 8h6' },
  expired: { colour: 'text-soft bg-sunken', path: 'M5 8h6' },
  held: { colour: 'text-warn bg-warn-soft', path: 'M6.5 5.5v5m3-5v5' },
  warning: { colour: 'text-warn bg-warn-soft', path: 'M8 4.8v4m0 2.2v.2' },
}

export function StatusMark({ name, word }: { name: Name; word?: string }) {
  const words = useWords()
  const { colour, path } = LOOKS[name]
  return (
    <span
      className={`inline-flex items-center gap-1.5 rounded-full py-0.5 pr-2.5 pl-1.5 text-[13px] font-medium whitespace-nowrap ${colour}`}
    >
      <svg
        viewBox="0 0 16 16"
        className="size-4"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        aria-hidden="true"
      >
        <circle cx="8" cy="8" r="6.2" />
        <path d={path} />
      </svg>
      {word ?? words.status[name]}
    </span>
  )
}

/** A plain label, not a state. */
export function Tag({ children }: { children: string }) {
  return <span className="rounded-full bg-sunken px-2.5 py-0.5 text-[13px] font-medium text-soft">{children}</span>
}
