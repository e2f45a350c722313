// The page of the audit trail: list, filters, verification and export.

import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import type { AuditEntry, AuditVerdict } from '../../../../wire/audit.ts'
import { pathOf, post } from '../../api.ts'
import { pageFrom, useFilters } from '../../filters.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { DateField } from '../../ui/date-field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useNarrow } from '../../ui/narrow.ts'
import { Button, buttonClass, Empty, ErrorNote, PageTitle, SelectField, Skeleton } from '../../ui/parts.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { auditWords } from '../../words/audit.ts'
import { AuditCards } from './audit-cards.tsx'
import { Details } from './audit-details.tsx'
import { Actor, Thing } from './audit-names.tsx'

export function AuditPage() {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  const navigate = useNavigate()
  useTitle(words.audit.title)
  const more = usePageWords(auditWords)
  const [params, choose] = useFilters()
  const isFiltered = FILTERS.some((name) => params.has(name))
  const trail = useAnswer('@/audit', { query: params })
  const [checked, setChecked] = useState<AuditVerdict | null>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const columns = useColumns(params)
  const isNarrow = useNarrow()
  const check = async () => {
    setBusy(true)
    setError(null)
    try {
      setChecked((await act(() => post('@/audit/verify', {}, here.at()))).verdict)
    } catch (caught) {
      setError(caught)
    }
    setBusy(false)
  }
  return (
    <>
      <PageTitle title={words.audit.title} lead={words.audit.lead}>
        {here.mayChange && (
          <>
            <Button onClick={check} busy={busy} icon="verifications">
              {words.audit.verify}
            </Button>
            <a href={`/dashboard/api${pathOf('@/audit/export', here.at())}`} download className={buttonClass('plain')}>
              <Icon name="download" />
              {words.audit.export}
            </a>
          </>
        )}
        <RowMenu
          isFramed
          label={more.more}
          actions={[{ label: words.proof.open, icon: 'templates', onChoose: () => void navigate(here.page('/proof')) }]}
        />
      </PageTitle>
      <div role="status" className="mb-4 empty:hidden">
        {checked !== null &&
          (checked.outcome === 'whole' ? (
            <StatusMark name="ok" word={words.audit.whole(checked.entries, checked.log?.seq ?? null)} />
          ) : (
            <StatusMark name="failed" word={`${words.audit.broken} ${checked.problem}`} />
          ))}
      </div>
      {trail.data?.guard.sealed === false && <StatusMark name="failed" word={words.audit.notSealed} />}
      {trail.data?.guard.checkpoint_missing && <StatusMark name="failed" word={words.audit.noCheckpoint} />}
      <Filters params={params} choose={choose} />
      <ErrorNote error={error ?? trail.error} />
      {trail.data === undefined ? (
        trail.error === null && <Skeleton lines={8} />
      ) : trail.data.data.length > 0 ? (
        isNarrow ? (
          <AuditCards
            caption={words.audit.title}
            entries={trail.data.data}
            called={({ action }) => more.actions[action] ?? action}
            columns={columns.slice(1)}
          />
        ) : (
          <Table
            caption={words.audit.title}
            columns={columns}
            rows={trail.data.data}
            keyOf={({ seq }) => String(seq)}
          />
        )
      ) : isFiltered ? (
        <Empty title={more.none}>{more.noneLead}</Empty>
      ) : (
        <Empty title={words.audit.empty}>{more.emptyLead}</Empty>
      )}
      <nav aria-label={words.older} className="mt-4 flex gap-3">
        {params.has('before') && (
          <Link to={pageFrom(params, null)} className={buttonClass('plain')}>
            {words.newest}
          </Link>
        )}
        {trail.data?.next != null && (
          <Link to={pageFrom(params, trail.data.next)} className={buttonClass('plain')}>
            {isFiltered ? more.further : words.older}
          </Link>
        )}
      </nav>
    </>
  )
}

const FILTERS = ['kind', 'actor_type', 'actor', 'from', 'to'] as const

function Filters({ params, choose }: { params: URLSearchParams; choose(name: string, value: string): void }) {
  const words = usePageWords(auditWords)
  const { terms } = useHere().me
  const field = (name: string) => ({
    value: params.get(name) ?? '',
    onChange: (event: { currentTarget: { value: string } }) => choose(name, event.currentTarget.value),
  })
  return (
    <fieldset className="mb-2 grid grid-cols-2 items-end gap-x-3 lg:grid-cols-[15rem_12rem_10rem_10rem_auto]">
      <legend className="sr-only">{words.filters}</legend>
      <SelectField label={words.kind} {...field('kind')}>
        <option value="">{words.all}</option>
        {terms.audit_kinds.map((kind) => (
          <option key={kind} value={kind}>
            {words.kinds[kind] ?? kind}
          </option>
        ))}
      </SelectField>
      <SelectField label={words.actorType} {...field('actor_type')}>
        <option value="">{words.all}</option>
        {terms.actor_types.map((type) => (
          <option key={type} value={type}>
            {words.actors[type] ?? type}
          </option>
        ))}
      </SelectField>
      {(['from', 'to'] as const).map((name) => (
        <DateField
          key={name}
          label={words[name]}
          value={params.get(name) ?? ''}
          onChange={(day) => choose(name, day)}
        />
      ))}
      {FILTERS.some((name) => params.has(name)) && (
        <Link to="?" className={`${buttonClass('quiet')} mb-4 justify-self-start`}>
          {words.clear}
        </Link>
      )}
    </fieldset>
  )
}

function useColumns(params: URLSearchParams): Column<AuditEntry>[] {
  const { audit } = useWords()
  const words = usePageWords(auditWords)
  const only = (actor: string) => `?${new URLSearchParams({ ...Object.fromEntries(params), actor })}`
  return [
    {
      head: audit.what,
      cell: ({ action }) => (
        <span title={action} className="block font-medium sm:max-w-[26ch] xl:min-w-40">
          {words.actions[action] ?? action}
        </span>
      ),
    },
    { head: words.number, cell: ({ seq }) => <span className="text-[13px] tabular-nums text-soft">{seq}</span> },
    { head: audit.when, cell: ({ at }) => <Time at={at} exact /> },
    {
      head: audit.who,
      cell: ({ actor }) => (
        <Actor actor={actor}>
          {params.get('actor') !== actor.id && actor.name !== null && (
            <Link
              to={only(actor.id)}
              aria-label={words.only(actor.name)}
              title={words.only(actor.name)}
              className="ml-1 inline-flex size-6 shrink-0 items-center justify-center rounded-md align-middle text-soft group-hover/row:opacity-100 hover:bg-sunken hover:text-ink focus-visible:opacity-100 sm:[@media(hover:hover)]:opacity-0"
            >
              <FilterSign />
            </Link>
          )}
        </Actor>
      ),
    },
    { head: audit.object, cell: (entry) => <Thing entry={entry} /> },
    {
      head: audit.details,
      cell: (entry) => (
        <div className="xl:min-w-52">
          <Details entry={entry} />
        </div>
      ),
    },
  ]
}

function FilterSign() {
  return (
    <svg
      viewBox="0 0 16 16"
      className="size-3.5"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      aria-hidden="true"
    >
      <path d="M2.5 3.5h11L9.5 8.4v4.1l-3-1.5V8.4z" strokeLinejoin="round" />
    </svg>
  )
}
