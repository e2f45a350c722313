// Links that make verifications: listed with their counts, created, revoked. The service keeps no address: this page can copy
// those that were created in it, until it is left.

import { useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import type { CreatedLink } from '../../../../wire/links.ts'
import type { LinkForStaff } from '../../../../wire/verifications-staff.ts'
import { post } from '../../api.ts'
import { pageFrom } from '../../filters.ts'
import { usePageWords, usePreferences, useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { useTemplateTitle } from '../../template-titles.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Button, buttonClass, Copy, Empty, ErrorNote, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { type RowAction, RowMenu } from '../../ui/row-menu.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { localeOf, Time } from '../../ui/time.tsx'
import { linkWords } from '../../words/links.ts'
import { ReferenceText } from '../verifications/reference-text.tsx'
import { MadeLink } from './made-link.tsx'
import { NewLink } from './new-link.tsx'

/** The addresses of links that were created since the application was loaded, by their id. */
const ADDRESSES = new Map<string, CreatedLink>()

export function LinksPage() {
  const words = useWords()
  const said = usePageWords(linkWords)
  const here = useHere()
  useTitle(words.links.title)
  const [params] = useSearchParams()
  const navigate = useNavigate()
  const before = params.get('before')
  const query = new URLSearchParams(before === null ? {} : { before })
  const page = useAnswer('@/links', { query, everyMs: 15_000 })
  const [made, setMade] = useState<CreatedLink | null>(null)
  const [shown, setShown] = useState<CreatedLink | null>(null)
  const [revoking, setRevoking] = useState<LinkForStaff | null>(null)
  const columns = useColumns({ show: setShown, revoke: setRevoking })
  const isEmpty = before === null && page.data?.data.length === 0
  const close = () => navigate('?', { replace: true })
  return (
    <>
      <PageTitle title={words.links.title} lead={said.lead}>
        {here.mayChange && !isEmpty && <CreateButton />}
      </PageTitle>
      <ErrorNote error={page.error} again={() => page.refetch()} />
      {page.data === undefined ? (
        page.error === null && <Skeleton lines={6} />
      ) : isEmpty ? (
        <Empty icon="links" title={said.empty}>
          <p className="mb-5">{said.emptyLead}</p>
          {here.mayChange && <CreateButton />}
          <Examples />
        </Empty>
      ) : (
        <>
          <Table caption={words.links.title} columns={columns} rows={page.data.data} keyOf={({ id }) => id} />
          <p className="mt-3 text-sm text-soft">{said.addressNote}</p>
        </>
      )}
      {page.data !== undefined && (before !== null || page.data.next !== null) && (
        <nav aria-label={words.older} className="mt-4 flex gap-3">
          {before !== null && (
            <Link to={pageFrom(params, null)} className={buttonClass('plain')}>
              {words.newest}
            </Link>
          )}
          {page.data.next !== null && (
            <Link to={pageFrom(params, page.data.next)} className={buttonClass('plain')}>
              {words.older}
            </Link>
          )}
        </nav>
      )}
      {here.mayChange && params.has('new') && (
        <NewLink
          template={params.get('new') ?? ''}
          onClose={close}
          onMade={(link) => {
            ADDRESSES.set(link.id, link)
            setMade(link)
            close()
          }}
        />
      )}
      {made !== null && <MadeLink made={made} isNew onClose={() => setMade(null)} />}
      {shown !== null && <MadeLink made={shown} isNew={false} onClose={() => setShown(null)} />}
      {revoking !== null && <Revoke link={revoking} onClose={() => setRevoking(null)} />}
    </>
  )
}

function CreateButton() {
  const { links } = useWords()
  return (
    <Link to="?new=" className={buttonClass('primary')}>
      <Icon name="plus" />
      {links.create}
    </Link>
  )
}

/** What people use links for, where there is none yet. */
function Examples() {
  const { examples } = usePageWords(linkWords)
  return (
    <ul className="mt-8 grid gap-3 text-left sm:grid-cols-3">
      {examples.map(([title, text]) => (
        <li key={title} className="rounded-xl border border-line bg-surface p-4">
          <p className="text-sm font-medium text-ink">{title}</p>
          <p className="mt-1 text-sm">{text}</p>
        </li>
      ))}
    </ul>
  )
}

interface RowActions {
  show(link: CreatedLink): void
  revoke(link: LinkForStaff): void
}

function useColumns(actions: RowActions): Column<LinkForStaff>[] {
  const words = usePageWords(linkWords)
  const titleOf = useTemplateTitle()
  return [
    {
      head: words.asks,
      cell: (link) => (
        <>
          <span className="font-medium">{link.template === null ? words.ownQuery : titleOf(link.template)}</span>
          {link.reference !== null && (
            <span className="ml-2 font-normal">
              <ReferenceText reference={link.reference} />
            </span>
          )}
          {link.purpose !== null && (
            <span className="block max-w-72 truncate font-normal text-soft" title={link.purpose}>
              {link.purpose}
            </span>
          )}
        </>
      ),
    },
    { head: words.state, cell: (link) => <State link={link} /> },
    { head: words.used, cell: (link) => <Uses link={link} /> },
    { head: words.period, cell: (link) => <Period link={link} /> },
    { head: '', cell: (link) => <Actions link={link} {...actions} /> },
  ]
}

function Actions({ link, show, revoke }: RowActions & { link: LinkForStaff }) {
  const words = usePageWords(linkWords)
  const here = useHere()
  const navigate = useNavigate()
  const titleOf = useTemplateTitle()
  if (!here.mayChange) return null
  const address = ADDRESSES.get(link.id)
  const isOver = HAS_ENDED.has(link.state)
  const name = [
    link.template === null ? words.ownQuery : titleOf(link.template),
    link.reference?.value ?? link.id,
  ].join(', ')
  const again: RowAction[] =
    link.template === null
      ? []
      : [
          {
            label: words.similar,
            icon: 'plus',
            onChoose: () => navigate(`?${new URLSearchParams({ new: link.template ?? '' })}`),
          },
        ]
  const end: RowAction[] = isOver
    ? []
    : [{ label: words.revoke, icon: 'stop', isDanger: true, onChoose: () => revoke(link) }]
  return (
    <div className="flex flex-wrap items-center gap-2 sm:flex-nowrap">
      {address !== undefined && !isOver && (
        <>
          <Copy text={address.url} label={words.copy} />
          <Button icon="qr" aria-label={`${words.qrCode}: ${name}`} onClick={() => show(address)}>
            {words.qrCode}
          </Button>
        </>
      )}
      <RowMenu label={`${words.more}: ${name}`} actions={[...again, ...end]} />
    </div>
  )
}

const HAS_ENDED: ReadonlySet<LinkForStaff['state']> = new Set(['used_up', 'ended', 'revoked'])

const MARKS = {
  scheduled: 'pending',
  open: 'active',
  used_up: 'completed',
  ended: 'expired',
  revoked: 'revoked',
  unavailable: 'warning',
} as const

function State({ link: { state } }: { link: LinkForStaff }) {
  const words = usePageWords(linkWords)
  return (
    <>
      <StatusMark name={MARKS[state]} word={words.states[state]} />
      {state === 'unavailable' && <span className="mt-1 block text-[13px] text-soft">{words.unavailableWhy}</span>}
    </>
  )
}

/** Its verifications have its reference, by which the list finds them. */
function Uses({ link: { opened, uses, completed, reference } }: { link: LinkForStaff }) {
  const { language } = usePreferences()
  const said = usePageWords(linkWords)
  const here = useHere()
  const number = new Intl.NumberFormat(language)
  const text = uses === null ? said.usedTimes(opened) : said.usedOf(number.format(opened), number.format(uses))
  return (
    <span className="tabular-nums">
      {reference === null || opened === 0 ? (
        text
      ) : (
        <Link
          to={here.page(`/verifications?${new URLSearchParams({ text: reference.value })}`)}
          className="text-accent underline"
        >
          {text}
        </Link>
      )}
      {opened > 0 && (
        <span className="block text-[13px] whitespace-nowrap text-soft">
          {said.completed(number.format(completed))}
        </span>
      )}
    </span>
  )
}

function Period({ link: { state, starts_at, ends_at, created_at } }: { link: LinkForStaff }) {
  const { language } = usePreferences()
  const words = usePageWords(linkWords)
  if (HAS_ENDED.has(state))
    return (
      <span className="text-soft">
        {words.createdAt} <Time at={created_at} />
      </span>
    )
  return state === 'scheduled' ? (
    <>
      {words.starts} <Time at={starts_at} exact />
    </>
  ) : (
    <span title={new Date(ends_at).toLocaleString(localeOf(language))} className="whitespace-nowrap">
      {endsIn(ends_at, language, words)}
      <span className="block text-[13px] text-soft">
        <Time at={ends_at} exact />
      </span>
    </span>
  )
}

const HOUR_MS = 3_600_000

/** In days, and on the last day in hours. */
function endsIn(at: string, language: string, words: { endsIn(left: string): string }): string {
  const hours = Math.max(0, Math.ceil((Date.parse(at) - Date.now()) / HOUR_MS))
  const [left, unit] = hours >= 48 ? [Math.floor(hours / 24), 'day'] : [hours, 'hour']
  return words.endsIn(new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(left))
}

function Revoke({ link, onClose }: { link: LinkForStaff; onClose(): void }) {
  const words = usePageWords(linkWords)
  const here = useHere()
  const act = useAct()
  return (
    <Confirm
      title={words.revokeTitle}
      lead={words.revokeLead}
      word={words.revoke}
      onClose={onClose}
      action={() => act(() => post('@/links/:id/revoke', {}, here.at({ id: link.id })))}
    />
  )
}
