// The page of API keys: create, roll, revoke, with their use.

import { useState } from 'react'
import { Link } from 'react-router'
import type { UsedKey } from '../../../../wire/keys.ts'
import { post } from '../../api.ts'
import { usePreferences, useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { Confirm, SecretDialog } from '../../ui/dialog.tsx'
import { Button, Empty, ErrorNote, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { Spark } from '../../ui/spark.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { CreateKey } from './create-key.tsx'
import { RollKey } from './roll-key.tsx'

export function KeysPage() {
  const words = useWords()
  const here = useHere()
  useTitle(words.keys.title)
  const keys = useAnswer('@/keys')
  const [creating, setCreating] = useState(false)
  const [created, setCreated] = useState<string | null>(null)
  const [revoking, setRevoking] = useState<UsedKey | null>(null)
  const [rolling, setRolling] = useState<UsedKey | null>(null)
  const columns = useColumns(setRevoking, setRolling)
  return (
    <>
      <PageTitle title={words.keys.title} lead={words.keys.lead}>
        {here.mayChange && keys.data !== undefined && keys.data.data.length > 0 && (
          <Button icon="plus" tone="primary" onClick={() => setCreating(true)}>
            {words.keys.create}
          </Button>
        )}
      </PageTitle>
      <ErrorNote error={keys.error} again={() => keys.refetch()} />
      {keys.data === undefined ? (
        keys.error === null && <Skeleton />
      ) : keys.data.data.length === 0 ? (
        <Empty icon="keys" title={words.keys.empty}>
          <p>{words.keys.emptyLead}</p>
          {here.mayChange && (
            <Button icon="plus" tone="primary" className="mt-5" onClick={() => setCreating(true)}>
              {words.keys.create}
            </Button>
          )}
        </Empty>
      ) : (
        <Table caption={words.keys.title} columns={columns} rows={keys.data.data} keyOf={({ id }) => id} />
      )}
      {creating && (
        <CreateKey
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreating(false)
            setCreated(key)
          }}
        />
      )}
      {created !== null && (
        <SecretDialog
          title={words.keys.shownOnce}
          lead={words.keys.shownOnceLead}
          secret={created}
          onClose={() => setCreated(null)}
        />
      )}
      {rolling !== null && (
        <RollKey
          apiKey={rolling}
          onClose={() => setRolling(null)}
          onCreated={(key) => {
            setRolling(null)
            setCreated(key)
          }}
        />
      )}
      {revoking !== null && <Revoke apiKey={revoking} onClose={() => setRevoking(null)} />}
    </>
  )
}

function useColumns(revoke: (key: UsedKey) => void, roll: (key: UsedKey) => void): Column<UsedKey>[] {
  const words = useWords()
  const here = useHere()
  const scopesInWords = useScopesInWords()
  return [
    {
      head: words.keys.name,
      cell: (key) => (
        <>
          <span className="font-medium max-sm:pr-10">{key.name}</span>
          <code className="block font-mono text-[13px] font-normal whitespace-nowrap text-soft">{key.prefix}…</code>
        </>
      ),
    },
    {
      head: words.keys.scopes,
      cell: (key) => (
        <span className="text-soft" title={key.scopes.join(', ')}>
          {scopesInWords(key)}
        </span>
      ),
    },
    { head: words.keys.uses, cell: (key) => <Uses apiKey={key} /> },
    { head: words.keys.created, cell: (key) => <Time at={key.created_at} dayOnly /> },
    {
      head: words.keys.lifetime,
      cell: (key) => (key.expires_at === null ? words.keys.lifetimes.none : <Time at={key.expires_at} dayOnly />),
    },
    { head: words.keys.lastUsed, cell: (key) => <Time at={key.last_used_at} /> },
    { head: words.keys.state, cell: (key) => <State apiKey={key} /> },
    {
      head: '',
      cell: (key) =>
        here.mayChange &&
        !hasEnded(key) && (
          <div className="flex items-center gap-2">
            <Button aria-label={`${words.keys.roll}: ${key.name}`} onClick={() => roll(key)}>
              {words.keys.roll}
            </Button>
            <span className="max-sm:absolute max-sm:top-3 max-sm:right-2">
              <RowMenu
                label={`${words.keys.more}: ${key.name}`}
                actions={[{ label: words.keys.revoke, icon: 'stop', isDanger: true, onChoose: () => revoke(key) }]}
              />
            </span>
          </div>
        ),
    },
  ]
}

function useScopesInWords() {
  const { keys: words } = useWords()
  const { scopes: all } = useHere().me.terms
  return ({ scopes }: UsedKey) => {
    if (scopes.length === all.length) return words.scopesAll
    const actions = scopes.flatMap((scope) => words.scopeShort[scope] ?? [])
    return (
      <>
        {actions.length > 0 && <span className="block">{words.scopeGroups.verifications(actions.join(', '))}</span>}
        {scopes.includes('devices:manage') && <span className="block">{words.scopeGroups.devices}</span>}
      </>
    )
  }
}

const hasEnded = ({ revoked_at, expires_at }: UsedKey) =>
  revoked_at !== null || (expires_at !== null && new Date(expires_at).getTime() <= Date.now())

const WEEK_MS = 7 * 86_400_000

function Uses({ apiKey }: { apiKey: UsedKey }) {
  const words = useWords()
  const here = useHere()
  const { language } = usePreferences()
  const all = apiKey.uses.reduce((sum, uses) => sum + uses, 0)
  if (all === 0) return <span className="text-soft">–</span>
  const number = new Intl.NumberFormat(language)
  const [today, daily] = [apiKey.uses.at(-1) ?? 0, all / apiKey.uses.length]
  // An average of a few days says little.
  const isYoung = Date.now() - Date.parse(apiKey.created_at) < WEEK_MS
  return (
    <span className="inline-block whitespace-nowrap">
      <Spark
        className="mb-1 h-6 w-24"
        label={words.keys.usesLabel(number.format(all), apiKey.uses.length)}
        bars={apiKey.uses.map((value, nth) => ({ key: String(nth), value }))}
      />
      <Link
        to={here.page(`/verifications?actor=${apiKey.id}`)}
        className="block text-[13px] text-soft tabular-nums underline decoration-line underline-offset-2 hover:text-ink"
      >
        {words.keys.usesToday(number.format(today), isYoung ? null : number.format(Math.round(daily)))}
        <span className="sr-only">: {words.keys.usesOpen(apiKey.name)}</span>
      </Link>
    </span>
  )
}

function State({ apiKey }: { apiKey: UsedKey }) {
  if (apiKey.revoked_at !== null) return <StatusMark name="revoked" />
  return <StatusMark name={hasEnded(apiKey) ? 'expired' : 'active'} />
}

function Revoke({ apiKey, onClose }: { apiKey: UsedKey; onClose(): void }) {
  const words = useWords()
  const here = useHere()
  const act = useAct()
  return (
    <Confirm
      title={words.keys.revokeTitle(apiKey.name)}
      lead={words.keys.revokeLead}
      word={words.keys.revoke}
      onClose={onClose}
      action={() => act(() => post('@/keys/:id/revoke', {}, here.at({ id: apiKey.id })))}
    />
  )
}
