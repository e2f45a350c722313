// The filters of the list. They are in the address, so that a list can be shared, except for the search text.

import type { FormEvent, ReactNode } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { getFile, pathOf } from '../../api.ts'
import { saveFile } from '../../key-file.ts'
import { usePreferences, useWords } from '../../preferences.tsx'
import { useAnswer, useHere } from '../../session.tsx'
import { titleOf } from '../../template-titles.ts'
import { DateField } from '../../ui/date-field.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { instantOf, localOf } from '../../ui/local-time.ts'
import { useNarrow } from '../../ui/narrow.ts'
import { Button, buttonClass, SelectField, TextField } from '../../ui/parts.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { localeOf } from '../../ui/time.tsx'
import { useFind } from './use-find.ts'

const FIRST = ['status', 'template'] as const
const MORE = ['from', 'to', 'reason', 'channel', 'actor'] as const
/** In the address: verifications with their own query. The service has no word for it. */
const OWN_QUERY = '-'

/** Returns the query for the service, from the address of the page. */
export function searchOf(params: URLSearchParams): URLSearchParams {
  const search = new URLSearchParams()
  for (const name of [...FIRST, ...MORE, 'before']) {
    const value = params.get(name)
    if (value === null || value === '') continue
    search.set(name, name === 'template' && value === OWN_QUERY ? '' : value)
  }
  return search
}

export function Filters({ saving }: { saving: ReactNode }) {
  const words = useWords()
  const [params, setParams] = useSearchParams()
  const search = searchOf(params)
  search.delete('before')
  const isNarrow = useNarrow()
  const folded = isNarrow ? [...FIRST, ...MORE] : MORE
  const more = folded.filter((name) => search.has(name)).length
  const find = useFind()
  const set = ({ text = find, ...changes }: Record<string, string>) => {
    const changed = new URLSearchParams(params)
    for (const name of ['before', ...Object.keys(changes)]) changed.delete(name)
    for (const [name, value] of Object.entries(changes)) if (value !== '') changed.set(name, value)
    setParams(changed, { state: { find: text } })
  }
  return (
    <div className="mb-4">
      <div className="grid gap-x-4 sm:grid-cols-2 lg:grid-cols-[1fr_1fr_2fr]">
        {!isNarrow && <Choices set={set} />}
        <Search set={set} />
      </div>
      <div>
        <details>
          <summary className="min-h-8 text-sm text-accent">
            {isNarrow ? words.finding.filters : words.finding.more}
            {more > 0 && <span className="text-soft"> · {words.finding.active(more)}</span>}
          </summary>
          {isNarrow && (
            <div className="mt-2">
              <Choices set={set} />
            </div>
          )}
          <More set={set} />
        </details>
      </div>
      <Applied search={search} set={set} clear={() => setParams({})}>
        {saving}
      </Applied>
    </div>
  )
}

/** Each active filter, with a button that removes it. */
function Applied({ search, set, clear, children }: AppliedProps) {
  const { finding } = useWords()
  const textOf = useFilterText()
  const find = useFind()
  const valueFor = (name: string) => (name === 'text' ? find : search.get(name)) ?? ''
  const names = [...FIRST, 'text', ...MORE].filter((name) => (name === 'text' ? find !== '' : search.has(name)))
  if (names.length === 0) return null
  return (
    <div className="mt-1 flex flex-wrap items-center gap-2">
      <ul aria-label={finding.applied} className="contents">
        {names.map((name) => {
          const text = textOf(name, valueFor(name))
          return (
            <li key={name} className="max-w-full">
              <button
                type="button"
                aria-label={finding.removeFilter(text)}
                onClick={() => set({ [name]: '' })}
                className="inline-flex min-h-8 max-w-full items-center gap-1.5 rounded-full border border-accent/40 bg-accent-soft pr-2 pl-3 text-sm hover:border-accent"
              >
                <span className="truncate">{text}</span>
                <Icon name="close" className="size-3.5" />
              </button>
            </li>
          )
        })}
      </ul>
      <Button tone="quiet" onClick={clear}>
        {finding.reset}
      </Button>
      {children}
    </div>
  )
}

interface AppliedProps {
  search: URLSearchParams
  set: Setter
  clear(): void
  /** Further actions for these filters. */
  children: ReactNode
}

/** "Status: Completed": the filter and its value in words. */
function useFilterText(): (name: string, value: string) => string {
  const { words, language } = usePreferences()
  const { finding, verifications } = words
  const templates = useAnswer('@/templates')
  const askers = useAskers()
  const date = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'medium', timeStyle: 'short' })
  const template = (key: string) => {
    const found = templates.data?.data.find((one) => one.key === key)
    return key === '' ? verifications.ownQuery : found === undefined ? key : titleOf(words, found)
  }
  const status = (value: string) => Object.entries(words.status).find(([name]) => name === value)?.[1] ?? value
  const texts: Record<string, (value: string) => readonly [label: string, value: string]> = {
    status: (value) => [verifications.filterStatus, status(value)],
    template: (value) => [verifications.filterTemplate, template(value)],
    text: (value) => [finding.search, value],
    from: (value) => [finding.from, date.format(new Date(value))],
    to: (value) => [finding.to, date.format(new Date(value))],
    reason: (value) => [finding.reason, words.failures[value] ?? value],
    channel: (value) => [finding.channel, words.overview.channelNames[value] ?? value],
    actor: (value) => [finding.asker, askers.find(([id]) => id === value)?.[1] ?? value],
  }
  return (name, value) => texts[name]?.(value).join(': ') ?? value
}

/** Keys, devices, staff and sign-ins, by their value in the address. */
function useAskers(): readonly (readonly [id: string, name: string])[] {
  const { usage } = useWords()
  const keys = useAnswer('@/keys')
  const devices = useAnswer('@/devices')
  return [
    ...[...(keys.data?.data ?? []), ...(devices.data?.data ?? [])].map(({ id, name }) => [id, name] as const),
    ...(['staff', 'openid'] as const).map((by) => [by, usage.askers[by]] as const),
  ]
}

type Setter = (changes: Record<string, string>) => void

function Choices({ set }: { set: Setter }) {
  const words = useWords()
  const here = useHere()
  const [params] = useSearchParams()
  const templates = useAnswer('@/templates')
  return (
    <>
      <SelectField
        label={words.verifications.filterStatus}
        value={params.get('status') ?? ''}
        onChange={(event) => set({ status: event.currentTarget.value })}
      >
        <option value="">{words.verifications.all}</option>
        {here.me.terms.statuses.map((status) => (
          <option key={status} value={status}>
            {words.status[status]}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={words.verifications.filterTemplate}
        value={params.get('template') ?? ''}
        onChange={(event) => set({ template: event.currentTarget.value })}
      >
        <option value="">{words.verifications.all}</option>
        <option value={OWN_QUERY}>{words.verifications.ownQuery}</option>
        {templates.data?.data.map((template) => (
          <option key={template.key} value={template.key}>
            {titleOf(words, template)}
          </option>
        ))}
      </SelectField>
    </>
  )
}

function Search({ set }: { set: Setter }) {
  const { finding } = useWords()
  const here = useHere()
  const navigate = useNavigate()
  const searched = useFind()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const text = String(new FormData(event.currentTarget).get('text')).trim()
    if (/^ver_[0-9A-Za-z]{20,}$/.test(text)) navigate(here.page(`/verifications/${text}`))
    else set({ text })
  }
  return (
    <Form
      onSubmit={submit}
      className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-x-2 sm:col-span-2 lg:col-span-1"
    >
      <TextField
        key={searched}
        label={finding.search}
        name="text"
        type="search"
        placeholder={finding.searchHint}
        autoComplete="off"
        maxLength={here.me.terms.reference_length_max}
        defaultValue={searched}
      />
      <Button type="submit" icon="search" className="mb-4">
        {finding.go}
      </Button>
    </Form>
  )
}

function More({ set }: { set: Setter }) {
  const words = useWords()
  const { finding } = words
  const [params] = useSearchParams()
  const askers = useAskers()
  const select = (name: (typeof MORE)[number], label: string, options: readonly (readonly [string, string])[]) => (
    <SelectField
      label={label}
      value={params.get(name) ?? ''}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
    >
      <option value="">{words.verifications.all}</option>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </SelectField>
  )
  return (
    <div className="mt-2 grid gap-x-4 sm:grid-cols-2 lg:grid-cols-5">
      {(['from', 'to'] as const).map((name) => (
        <DateField
          key={name}
          label={finding[name]}
          withTime
          value={localOf(params.get(name))}
          onChange={(local) => set({ [name]: instantOf(local) })}
        />
      ))}
      {select('reason', finding.reason, Object.entries(words.failures))}
      {select('channel', finding.channel, Object.entries(words.overview.channelNames))}
      {select('actor', finding.asker, askers)}
    </div>
  )
}

export function Export({ onError }: { onError(error: unknown): void }) {
  const { finding, detail } = useWords()
  const isNarrow = useNarrow()
  const here = useHere()
  const [params] = useSearchParams()
  const query = searchOf(params)
  query.delete('before')
  const find = useFind()
  const href = `/dashboard/api${pathOf('@/verifications/export', here.at({ query }))}`
  const load = () => {
    if (find === '') return location.assign(href)
    onError(null)
    getFile('@/verifications/export', here.at({ query, find })).then(
      ({ name, content }) => saveFile(name, content),
      onError,
    )
  }
  if (isNarrow) {
    const action = { label: finding.export, icon: 'download', onChoose: load } as const
    return <RowMenu isFramed label={detail.more} actions={[action]} />
  }
  if (find !== '')
    return (
      <Button icon="download" title={finding.exportHint} onClick={load}>
        {finding.export}
      </Button>
    )
  return (
    <a href={href} download title={finding.exportHint} className={buttonClass('plain')}>
      <Icon name="download" />
      {finding.export}
    </a>
  )
}
