// The audit trail: newest first, checked on demand, exported whole.

import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { AuditEntry, AuditVerdict } from '../answers.ts'
import { pathOf, post } from '../api.ts'
import { useWords } from '../preferences.tsx'
import { useAct, useAnswer, useHere } from '../session.tsx'
import { useTitle } from '../shell.tsx'
import { Button, buttonClass, Empty, ErrorNote, PageTitle, Skeleton } from '../ui/parts.tsx'
import { StatusMark } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'

export function AuditPage() {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  useTitle(words.audit.title)
  const [params] = useSearchParams()
  const before = params.get('before')
  const trail = useAnswer('@/audit', { query: new URLSearchParams(before === null ? {} : { before }) })
  const [checked, setChecked] = useState<AuditVerdict | null>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const columns = useColumns()
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
        <Link to={here.page('/proof')} className={buttonClass('plain')}>
          {words.proof.open}
        </Link>
        {here.mayChange && (
          <>
            <Button onClick={check} busy={busy}>
              {words.audit.verify}
            </Button>
            <a href={`/dashboard/api${pathOf('@/audit/export', here.at())}`} download className={buttonClass('plain')}>
              {words.audit.export}
            </a>
          </>
        )}
      </PageTitle>
      <div role="status" className="mb-4 empty:hidden">
        {checked !== null &&
          (checked.outcome === 'whole' ? (
            <StatusMark name="ok" word={words.audit.whole(checked.entries)} />
          ) : (
            <StatusMark name="failed" word={`${words.audit.broken} ${checked.problem}`} />
          ))}
      </div>
      {trail.data?.guard.sealed === false && <StatusMark name="failed" word={words.audit.notSealed} />}
      {trail.data?.guard.checkpoint_missing && <StatusMark name="failed" word={words.audit.noCheckpoint} />}
      <ErrorNote error={error ?? trail.error} />
      {trail.data === undefined ? (
        trail.error === null && <Skeleton lines={8} />
      ) : trail.data.data.length === 0 ? (
        <Empty title={words.audit.empty} />
      ) : (
        <Table caption={words.audit.title} columns={columns} rows={trail.data.data} keyOf={({ seq }) => String(seq)} />
      )}
      <nav aria-label={words.older} className="mt-4 flex gap-3">
        {before !== null && (
          <Link to="?" className={buttonClass('plain')}>
            {words.newest}
          </Link>
        )}
        {trail.data?.next != null && (
          <Link to={`?before=${trail.data.next}`} className={buttonClass('plain')}>
            {words.older}
          </Link>
        )}
      </nav>
    </>
  )
}

function useColumns(): Column<AuditEntry>[] {
  const { audit } = useWords()
  return [
    { head: '#', cell: ({ seq }) => <span className="tabular-nums">{seq}</span> },
    { head: audit.when, cell: ({ at }) => <Time at={at} exact /> },
    {
      head: audit.what,
      cell: ({ action }) => <code className="font-mono text-[13px] whitespace-nowrap">{action}</code>,
    },
    {
      head: audit.who,
      cell: ({ actor }) => (
        <span>
          {actor.type} <Id id={actor.id} />
        </span>
      ),
    },
    {
      head: audit.object,
      cell: ({ object }) => (
        <span>
          {object.type} <Id id={object.id} />
        </span>
      ),
    },
    {
      head: audit.details,
      cell: ({ details }) =>
        details === null ? '–' : <span className="text-[13px] break-words text-soft">{plain(details)}</span>,
    },
  ]
}

/** Enough of it to tell it from others; all of it for who points at it. */
function Id({ id }: { id: string }) {
  return (
    <span title={id} className="whitespace-nowrap text-soft">
      {id.length > 14 ? `${id.slice(0, 13)}…` : id}
    </span>
  )
}

function plain(details: Record<string, unknown>): string {
  const known = Object.entries(details).filter(([, value]) => value !== null)
  const text = (value: unknown) =>
    typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : String(value)
  return known.map(([name, value]) => `${name}: ${text(value)}`).join(' · ')
}
