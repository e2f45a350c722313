// What the list is narrowed by. All of it stands in the address, so that a list can be passed on.

import type { FormEvent } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { pathOf } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useAnswer, useHere } from '../../session.tsx'
import { titleOf } from '../../template-titles.ts'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { instantOf, localOf } from '../../ui/local-time.ts'
import { useNarrow } from '../../ui/narrow.ts'
import { Button, buttonClass, SelectField, TextField } from '../../ui/parts.tsx'

const FIRST = ['status', 'template'] as const
const MORE = ['from', 'to', 'reason', 'channel', 'actor'] as const
/** In the address: asked by a query. The service knows it as nothing. */
const OWN_QUERY = '-'

/** What the service is asked, out of the address of the page. */
export function searchOf(params: URLSearchParams): URLSearchParams {
  const search = new URLSearchParams()
  for (const name of [...FIRST, ...MORE, 'text', 'before']) {
    const value = params.get(name)
    if (value === null || value === '') continue
    search.set(name, name === 'template' && value === OWN_QUERY ? '' : value)
  }
  return search
}

export function Filters() {
  const words = useWords()
  const [params, setParams] = useSearchParams()
  const search = searchOf(params)
  search.delete('before')
  const isNarrow = useNarrow()
  const folded = isNarrow ? [...FIRST, ...MORE] : MORE
  const more = folded.filter((name) => search.has(name)).length
  const set = (changes: Record<string, string>) => {
    const changed = new URLSearchParams(params)
    for (const name of ['before', ...Object.keys(changes)]) changed.delete(name)
    for (const [name, value] of Object.entries(changes)) if (value !== '') changed.set(name, value)
    setParams(changed)
  }
  return (
    <div className="mb-4">
      <div className="grid gap-x-4 sm:grid-cols-2 lg:grid-cols-[1fr_1fr_2fr]">
        {!isNarrow && <Choices set={set} />}
        <Search set={set} />
      </div>
      <div className="relative">
        <details open={more > 0}>
          <summary className="min-h-8 pr-40 text-sm text-accent">
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
        {search.size > 0 && (
          <Button tone="quiet" className="absolute -top-2 right-0" onClick={() => setParams({})}>
            {words.finding.reset}
          </Button>
        )}
      </div>
    </div>
  )
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
  const [params] = useSearchParams()
  const searched = params.get('text') ?? ''
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
  const keys = useAnswer('@/keys')
  const devices = useAnswer('@/devices')
  const askers = [...(keys.data?.data ?? []), ...(devices.data?.data ?? [])]
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
        <TextField
          key={name}
          label={finding[name]}
          type="datetime-local"
          value={localOf(params.get(name))}
          onChange={(event) => set({ [name]: instantOf(event.currentTarget.value) })}
        />
      ))}
      {select('reason', finding.reason, Object.entries(words.failures))}
      {select('channel', finding.channel, Object.entries(words.overview.channelNames))}
      {select('actor', finding.asker, [
        ...askers.map(({ id, name }) => [id, name] as const),
        ...(['staff', 'openid'] as const).map((by) => [by, words.usage.askers[by]] as const),
      ])}
    </div>
  )
}

export function Export() {
  const { finding } = useWords()
  const here = useHere()
  const [params] = useSearchParams()
  const query = searchOf(params)
  query.delete('before')
  return (
    <a
      href={`/dashboard/api${pathOf('@/verifications/export', here.at({ query }))}`}
      download
      title={finding.exportHint}
      className={buttonClass('plain')}
    >
      <Icon name="download" />
      {finding.export}
    </a>
  )
}
