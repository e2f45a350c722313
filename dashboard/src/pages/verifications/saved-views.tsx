// Saved filters of the list, in this browser, per person and company. A search text is not saved: it may name a person.

import { type FormEvent, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { useWords } from '../../preferences.tsx'
import { useHere } from '../../session.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Button, TextField } from '../../ui/parts.tsx'
import { searchOf } from './verification-filters.tsx'

interface View {
  readonly name: string
  readonly query: string
}

const VIEWS_MAX = 12
const NAME_MAX = 40

type Views = ReturnType<typeof useViews>

export function SavedViews({ views, remove }: Pick<Views, 'views' | 'remove'>) {
  const { finding } = useWords()
  const [params] = useSearchParams()
  const shown = viewQueryOf(params)
  if (views.length === 0) return null
  return (
    <ul aria-label={finding.views} className="mb-4 flex flex-wrap items-center gap-2">
      {views.map(({ name, query }) => (
        <li
          key={query}
          className={`inline-flex items-center rounded-full border text-sm ${query === shown ? 'border-accent bg-accent-soft text-accent' : 'border-line bg-surface'}`}
        >
          <Link
            to={`?${query}`}
            aria-current={query === shown ? 'true' : undefined}
            className="max-w-60 truncate rounded-full py-1.5 pr-1 pl-3 leading-5 hover:underline"
          >
            {name}
          </Link>
          <button
            type="button"
            aria-label={finding.removeView(name)}
            onClick={() => remove(query)}
            className="grid size-8 place-items-center rounded-full text-soft hover:text-bad"
          >
            <Icon name="close" className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Renders nothing if these filters are saved already. */
export function SaveView({ views, save }: Pick<Views, 'views' | 'save'>) {
  const { finding } = useWords()
  const [params] = useSearchParams()
  const [naming, setNaming] = useState(false)
  const shown = viewQueryOf(params)
  const isSaved = views.some(({ query }) => query === shown)
  if (shown === '' || isSaved || views.length >= VIEWS_MAX) return null
  return (
    <>
      <Button tone="quiet" icon="save" onClick={() => setNaming(true)}>
        {finding.saveView}
      </Button>
      {naming && (
        <NameView
          onClose={() => setNaming(false)}
          onNamed={(name) => {
            save({ name, query: shown })
            setNaming(false)
          }}
        />
      )}
    </>
  )
}

function NameView({ onClose, onNamed }: { onClose(): void; onNamed(name: string): void }) {
  const words = useWords()
  const { finding } = words
  const submit = (event: FormEvent<HTMLFormElement>) =>
    onNamed(String(new FormData(event.currentTarget).get('name')).trim())
  return (
    <Dialog title={finding.saveView} onClose={onClose}>
      <Form onSubmit={submit}>
        <p className="mb-4 text-soft">{finding.saveViewLead}</p>
        <TextField
          label={finding.viewName}
          name="name"
          maxLength={NAME_MAX}
          pattern=".*\S.*"
          autoComplete="off"
          autoFocus
          required
        />
        <DialogFoot>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" tone="primary">
            {words.save}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

/** Only the filters, in a fixed order, so that equal views have equal texts. */
function viewQueryOf(params: URLSearchParams): string {
  const kept = [...params].filter(([name, value]) => value !== '' && searchOf(params).has(name))
  const view = new URLSearchParams(kept.filter(([name]) => name !== 'before'))
  view.sort()
  return view.toString()
}

export function useViews() {
  const { me, tenant } = useHere()
  const key = `vidimus-views:${me.id}:${tenant.id}`
  const [views, setViews] = useState(() => readViews(key))
  const store = (next: readonly View[]) => {
    localStorage.setItem(key, JSON.stringify(next))
    setViews(next)
  }
  return {
    views,
    save: (view: View) => store([...views, view].slice(0, VIEWS_MAX)),
    remove: (query: string) => store(views.filter((one) => one.query !== query)),
  }
}

/** Ignores other stored content. */
function readViews(key: string): readonly View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isView).slice(0, VIEWS_MAX) : []
  } catch {
    return []
  }
}

const isView = (one: unknown): one is View =>
  typeof one === 'object' &&
  one !== null &&
  'name' in one &&
  typeof one.name === 'string' &&
  'query' in one &&
  typeof one.query === 'string'
