// The details of an audit entry in words, without what the row already shows.

import { useEffect, useRef, useState } from 'react'
import type { AuditEntry } from '../../../../wire/audit.ts'
import { useLabels, vouchedLabel } from '../../labels.ts'
import { usePageWords, usePreferences, useWords } from '../../preferences.tsx'
import { useHere } from '../../session.tsx'
import { useTemplateTitle } from '../../template-titles.ts'
import { Icon } from '../../ui/icon.tsx'
import { localeOf } from '../../ui/time.tsx'
import { apartWords } from '../../words/apart.ts'
import { auditWords } from '../../words/audit.ts'
import { calledIn } from './audit-names.tsx'

/** Details that the names of actor and object already show. */
const NAMES = new Set(['name', 'title', 'email', 'actor_name', 'key', 'origin', 'intended_use', 'subject'])
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/
const TEMPLATES = new Set(['template', 'allowed_templates'])

export function Details({ entry }: { entry: AuditEntry }) {
  const shared = useWords()
  const words = usePageWords(auditWords)
  const called = useTemplateTitle()
  const { language } = usePreferences()
  const labels = useLabels()
  const { apart } = usePageWords(apartWords)
  const here = useHere()
  const moment = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeStyle: 'short' })
  const textOf = (name: string, value: unknown): string => {
    if (Array.isArray(value)) return value.map((one) => textOf(name, one)).join(', ')
    if (typeof value === 'boolean') return value ? shared.detail.yes : shared.detail.no
    const text = String(value)
    if (INSTANT.test(text)) return moment.format(new Date(text))
    if (name === 'method' || name === 'reason' || name === 'trigger')
      return words.values[text] ?? shared.failures[text] ?? text
    if (TEMPLATES.has(name)) return called(text)
    if (name === 'role') return Object.entries(shared.roles).find(([role]) => role === text)?.[1] ?? text
    if (name === 'types') return apart[text] ?? vouchedLabel(labels, here.me.terms.formats, text)
    if (name === 'kind') return words.values[text] ?? text
    if (name === 'scopes') return shared.keys.scopeShort[text] ?? text
    return text
  }
  const isShown = (name: string, value: unknown) =>
    NAMES.has(name) &&
    (value === entry.object.name ||
      value === calledIn(entry) ||
      value === entry.actor.name ||
      (name === 'key' && entry.object.name !== null))
  const details = Object.entries(entry.details ?? {}).filter(([name, value]) => value !== null && !isShown(name, value))
  if (details.length === 0) return null
  const text = details.map(([name, value]) => `${words.details[name] ?? name}: ${textOf(name, value)}`).join(' · ')
  return <TwoLines key={entry.seq} text={text} />
}

/** In a table, shows two lines of the text, and a button for the rest if it is longer. */
function TwoLines({ text }: { text: string }) {
  const words = usePageWords(auditWords)
  const lines = useRef<HTMLSpanElement>(null)
  const [isCut, setCut] = useState(false)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const { current } = lines
    if (current === null || isOpen) return
    const observer = new ResizeObserver(() => setCut(current.scrollHeight > current.clientHeight + 1))
    observer.observe(current)
    return () => observer.disconnect()
  }, [isOpen])
  return (
    <span className="flex items-start gap-1 text-[13px] leading-snug text-soft">
      <span
        ref={lines}
        title={isOpen ? undefined : text}
        className={`min-w-0 [overflow-wrap:anywhere] ${isOpen ? '' : 'sm:line-clamp-2'}`}
      >
        {text}
      </span>
      {isCut && (
        <button
          type="button"
          aria-label={words.allDetails}
          aria-expanded={isOpen}
          title={words.allDetails}
          onClick={() => setOpen(!isOpen)}
          className="shrink-0 rounded-md px-2! hover:bg-sunken hover:text-ink"
        >
          <Icon name="next" className={`size-3.5 ${isOpen ? '-rotate-90' : 'rotate-90'}`} />
        </button>
      )}
    </span>
  )
}
