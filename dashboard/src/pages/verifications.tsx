// The list of verifications, newest first. Filters stand in the address, so that a list can be passed on.

import type { FormEvent } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import type { VerificationRow } from '../answers.ts'
import { useWords } from '../preferences.tsx'
import { useAnswer, useHere } from '../session.tsx'
import { useTitle } from '../shell.tsx'
import { titleOf, useTemplateTitle } from '../template-titles.ts'
import {
  Button,
  buttonClass,
  Code,
  Empty,
  ErrorNote,
  Mono,
  PageTitle,
  SelectField,
  Skeleton,
  TextField,
} from '../ui/parts.tsx'
import { StatusMark } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { NewVerification } from './new-verification.tsx'
import { curlOf } from './start.tsx'

export function VerificationsPage() {
  const words = useWords()
  const here = useHere()
  useTitle(words.verifications.title)
  const [params] = useSearchParams()
  const query = new URLSearchParams()
  for (const name of ['status', 'template', 'before']) {
    const value = params.get(name)
    if (value !== null && value !== '') query.set(name, value)
  }
  const page = useAnswer('@/verifications', { query, everyMs: 10_000 })
  const filtered = query.size > 0
  const navigate = useNavigate()
  const columns = useColumns()
  return (
    <>
      <PageTitle title={words.verifications.title}>
        {here.mayChange && (
          <Link to="?new=" className={buttonClass('primary')}>
            {words.asking.create}
          </Link>
        )}
      </PageTitle>
      {here.mayChange && params.has('new') && <NewVerification onClose={() => navigate('?', { replace: true })} />}
      <Filters />
      <ErrorNote error={page.error} again={() => page.refetch()} />
      {page.data === undefined && page.error === null && <Skeleton lines={8} />}
      {page.data !== undefined &&
        (page.data.data.length > 0 ? (
          <Table
            caption={words.verifications.title}
            columns={columns}
            rows={page.data.data}
            keyOf={({ id }) => id}
            open={({ id }) => navigate(here.page(`/verifications/${id}`))}
          />
        ) : filtered ? (
          <Empty title={words.verifications.nothing} />
        ) : (
          <Empty title={words.verifications.empty}>
            <p className="mb-4">{words.verifications.emptyLead}</p>
            <Code>{curlOf(here.me.service.base_url, here.environment)}</Code>
          </Empty>
        ))}
      {page.data !== undefined && <Pager next={page.data.next} full={page.data.full} />}
    </>
  )
}

function useColumns(): Column<VerificationRow>[] {
  const words = useWords()
  const here = useHere()
  const called = useTemplateTitle()
  const { template, created, by, reason, ownQuery, actors } = words.verifications
  return [
    { head: words.verifications.filterStatus, cell: (row) => <StatusMark name={row.status} /> },
    {
      head: template,
      // Beside the status, where a phone shows it too.
      cell: (row) => (
        <Link to={here.page(`/verifications/${row.id}`)} className="block text-accent">
          <span className="font-medium underline">{row.template === null ? ownQuery : called(row.template)}</span>
          <span className="block font-mono text-[13px] whitespace-nowrap text-soft">{row.id.slice(0, 14)}…</span>
        </Link>
      ),
    },
    { head: created, cell: (row) => <Time at={row.created_at} /> },
    {
      head: by,
      cell: ({ actor }) => (
        <span>
          {actor.name ?? actor.id} <span className="text-soft">· {actors[actor.type] ?? actor.type}</span>
        </span>
      ),
    },
    {
      head: reason,
      cell: ({ error_code: code }) =>
        code === null ? '' : <span className="block min-w-60">{words.failures[code] ?? <Mono>{code}</Mono>}</span>,
    },
  ]
}

function Filters() {
  const words = useWords()
  const here = useHere()
  const navigate = useNavigate()
  const [params, setParams] = useSearchParams()
  const templates = useAnswer('@/templates')
  const set = (name: string, value: string) => {
    const changed = new URLSearchParams(params)
    changed.delete('before')
    if (value === '') changed.delete(name)
    else changed.set(name, value)
    setParams(changed)
  }
  const open = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const id = String(new FormData(event.currentTarget).get('id')).trim()
    if (id !== '') navigate(here.page(`/verifications/${encodeURIComponent(id)}`))
  }
  return (
    <div className="mb-2 grid gap-x-4 sm:grid-cols-[1fr_1fr_2fr]">
      <SelectField
        label={words.verifications.filterStatus}
        value={params.get('status') ?? ''}
        onChange={(event) => set('status', event.currentTarget.value)}
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
        onChange={(event) => set('template', event.currentTarget.value)}
      >
        <option value="">{words.verifications.all}</option>
        {templates.data?.data.map((template) => (
          <option key={template.key} value={template.key}>
            {titleOf(words, template)}
          </option>
        ))}
      </SelectField>
      <form onSubmit={open} className="flex items-end gap-2">
        <div className="grow">
          <TextField label={words.verifications.findId} name="id" placeholder="ver_…" autoComplete="off" />
        </div>
        <Button type="submit" className="mb-4">
          {words.verifications.find}
        </Button>
      </form>
    </div>
  )
}

function Pager({ next, full }: { next: string | null; full: boolean }) {
  const words = useWords()
  const [params] = useSearchParams()
  const to = (before: string | null) => {
    const changed = new URLSearchParams(params)
    if (before === null) changed.delete('before')
    else changed.set('before', before)
    return `?${changed}`
  }
  return (
    <nav aria-label={words.older} className="mt-4 flex flex-wrap items-center gap-3">
      {params.get('before') !== null && (
        <Link to={to(null)} className={buttonClass('plain')}>
          {words.newest}
        </Link>
      )}
      {next !== null && (
        <Link to={to(next)} className={buttonClass('plain')}>
          {full ? words.older : words.verifications.goOn}
        </Link>
      )}
      {next !== null && !full && (
        <span className="text-sm text-soft">
          {words.verifications.searchedTo} <Time at={next} exact />
        </span>
      )}
    </nav>
  )
}
