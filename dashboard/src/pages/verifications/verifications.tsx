// The list of verifications, newest first. Filters are in the address, so that a list can be shared; the search text is not.

import { useState } from 'react'
import { Link, Navigate, useLocation, useNavigate, useSearchParams } from 'react-router'
import type { VerificationRow } from '../../../../wire/verifications-staff.ts'
import { useWords } from '../../preferences.tsx'
import { useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { useTemplateTitle } from '../../template-titles.ts'
import { Icon } from '../../ui/icon.tsx'
import { useNarrow } from '../../ui/narrow.ts'
import { buttonClass, Code, Empty, ErrorNote, Mono, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { curlOf } from '../dashboard/start.tsx'
import { NewVerification } from './new-verification.tsx'
import { ReferenceText } from './reference-text.tsx'
import { SavedViews, SaveView, useViews } from './saved-views.tsx'
import { findOf, useFind } from './use-find.ts'
import { Export, Filters, searchOf } from './verification-filters.tsx'

export function VerificationsPage() {
  const words = useWords()
  const here = useHere()
  useTitle(words.verifications.title)
  const [params] = useSearchParams()
  const query = searchOf(params)
  const find = useFind()
  const [exportError, setExportError] = useState<unknown>(null)
  const page = useAnswer('@/verifications', { query, ...findOf(find), everyMs: 10_000 })
  const filtered = query.size > 0 || find !== ''
  // Without verifications there is nothing to filter or export, and the only action is in the middle.
  const isEmpty = !filtered && page.data?.data.length === 0
  const isNarrow = useNarrow()
  const navigate = useNavigate()
  const views = useViews()
  const columns = useColumns(page.data?.data ?? [])
  const inAddress = params.get('text')
  if (inAddress !== null) {
    const others = new URLSearchParams([...params].filter(([name]) => name !== 'text'))
    return <Navigate replace to={`?${others}`} state={{ find: inAddress }} />
  }
  return (
    <>
      <PageTitle title={words.verifications.title}>
        {here.mayChange && !isEmpty && (
          <>
            <Link to="?new=" className={`${buttonClass('primary')} sm:order-last`}>
              <Icon name="plus" />
              {words.asking.create}
            </Link>
            <Export onError={setExportError} />
          </>
        )}
      </PageTitle>
      {here.mayChange && params.has('new') && (
        <NewVerification template={params.get('new') ?? ''} onClose={() => navigate('?', { replace: true })} />
      )}
      {!isEmpty && <SavedViews {...views} />}
      {!isEmpty && <Filters saving={<SaveView {...views} />} />}
      <ErrorNote error={exportError} />
      <ErrorNote error={page.error} again={() => page.refetch()} />
      {page.data === undefined && page.error === null && <Skeleton lines={8} />}
      {page.data !== undefined &&
        (page.data.data.length > 0 ? (
          isNarrow ? (
            <Cards rows={page.data.data} />
          ) : (
            <Table
              caption={words.verifications.title}
              columns={columns}
              rows={page.data.data}
              keyOf={({ id }) => id}
              open={({ id }) => navigate(here.page(`/verifications/${id}`))}
            />
          )
        ) : filtered ? (
          <Empty icon="search" title={words.verifications.nothing}>
            {find !== '' && <p>{words.finding.exactly}</p>}
            <Link to="?" className={`${buttonClass('plain')} mt-5`}>
              {words.finding.reset}
            </Link>
          </Empty>
        ) : (
          <Empty icon="verifications" title={words.verifications.empty}>
            <p>{words.verifications.emptyLead}</p>
            {here.mayChange && (
              <Link to="?new=" className={`${buttonClass('primary')} mt-5`}>
                <Icon name="plus" />
                {words.asking.create}
              </Link>
            )}
            <details className="mt-6 max-sm:hidden">
              <summary className="mx-auto w-fit text-sm">{words.verifications.byApi}</summary>
              <div className="mt-3 text-left">
                <Code>{curlOf(here.me.service.base_url, here.environment)}</Code>
              </div>
            </details>
          </Empty>
        ))}
      {page.data !== undefined && <Pager next={page.data.next} full={page.data.full} />}
    </>
  )
}

/** Shows the list on a phone, as cards below each other. */
function Cards({ rows }: { rows: readonly VerificationRow[] }) {
  const words = useWords()
  const here = useHere()
  const called = useTemplateTitle()
  return (
    <ul aria-label={words.verifications.title} className="space-y-3">
      {rows.map((row) => (
        <li key={row.id} className="relative rounded-2xl border border-line bg-surface p-4 text-sm">
          <div className="mb-2 flex items-center justify-between gap-3">
            <StatusMark name={row.status} />
            <span className="text-soft">
              <Time at={row.created_at} />
            </span>
          </div>
          <Link
            to={here.page(`/verifications/${row.id}`)}
            className="flex items-center justify-between font-medium after:absolute after:inset-0"
          >
            {row.template === null ? words.verifications.ownQuery : called(row.template)}
            <Icon name="next" className="size-4 text-soft" />
          </Link>
          {row.reference !== null && (
            <p className="mt-1">
              <ReferenceText reference={row.reference} />
            </p>
          )}
          {row.error_code !== null && <p className="mt-1">{words.failures[row.error_code] ?? row.error_code}</p>}
          <p className="mt-1 truncate text-soft">
            {words.verifications.by}: {row.actor.name ?? row.actor.id}
          </p>
        </li>
      ))}
    </ul>
  )
}

/** Omits columns that are empty in all rows. */
function useColumns(rows: readonly VerificationRow[]): Column<VerificationRow>[] {
  const words = useWords()
  const here = useHere()
  const called = useTemplateTitle()
  const { template, created, by, reason, ownQuery, actors } = words.verifications
  const reference: Column<VerificationRow> = {
    head: words.asking.reference,
    cell: (row) => (row.reference === null ? '–' : <ReferenceText reference={row.reference} />),
  }
  const failure: Column<VerificationRow> = {
    head: reason,
    cell: ({ error_code: code }) =>
      code === null ? '–' : <span className="block min-w-52">{words.failures[code] ?? <Mono>{code}</Mono>}</span>,
  }
  return [
    {
      head: created,
      // The whole row is a link, too.
      cell: (row) => (
        <Link to={here.page(`/verifications/${row.id}`)} className="font-medium text-accent group-hover/row:underline">
          <Time at={row.created_at} exact />
        </Link>
      ),
    },
    { head: words.verifications.filterStatus, cell: (row) => <StatusMark name={row.status} /> },
    {
      head: template,
      cell: (row) => (
        <span className="sm:whitespace-nowrap">{row.template === null ? ownQuery : called(row.template)}</span>
      ),
    },
    ...(rows.some((row) => row.reference !== null) ? [reference] : []),
    {
      head: by,
      cell: ({ actor }) => (
        <span title={actors[actor.type] ?? actor.type} className="block max-w-40 truncate">
          {actor.name ?? actor.id}
        </span>
      ),
    },
    ...(rows.some((row) => row.error_code !== null) ? [failure] : []),
  ]
}

function Pager({ next, full }: { next: string | null; full: boolean }) {
  const words = useWords()
  const [params] = useSearchParams()
  const { state } = useLocation()
  const to = (before: string | null) => {
    const changed = new URLSearchParams(params)
    if (before === null) changed.delete('before')
    else changed.set('before', before)
    return `?${changed}`
  }
  return (
    <nav aria-label={words.older} className="mt-4 flex flex-wrap items-center gap-3">
      {params.get('before') !== null && (
        <Link to={to(null)} state={state} className={buttonClass('plain')}>
          {words.newest}
        </Link>
      )}
      {next !== null && (
        <Link to={to(next)} state={state} className={buttonClass('plain')}>
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
