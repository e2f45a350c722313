// Links that make verifications: listed with their counts, created, revoked.

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
import { Button, buttonClass, Empty, ErrorNote, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { linkWords } from '../../words/links.ts'
import { ReferenceText } from '../verifications/reference-text.tsx'
import { MadeLink } from './made-link.tsx'
import { NewLink } from './new-link.tsx'

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
  const [revoking, setRevoking] = useState<LinkForStaff | null>(null)
  const columns = useColumns(setRevoking)
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
        </Empty>
      ) : (
        <Table caption={words.links.title} columns={columns} rows={page.data.data} keyOf={({ id }) => id} />
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
            setMade(link)
            close()
          }}
        />
      )}
      {made !== null && <MadeLink made={made} onClose={() => setMade(null)} />}
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

function useColumns(revoke: (link: LinkForStaff) => void): Column<LinkForStaff>[] {
  const words = usePageWords(linkWords)
  const here = useHere()
  const titleOf = useTemplateTitle()
  return [
    {
      head: words.asks,
      cell: (link) => (
        <>
          <span className="font-medium">{link.template === null ? words.ownQuery : titleOf(link.template)}</span>
          {link.purpose !== null && (
            <span className="block max-w-64 truncate font-normal text-soft" title={link.purpose}>
              {link.purpose}
            </span>
          )}
          {link.reference !== null && (
            <span className="block font-normal">
              <ReferenceText reference={link.reference} />
            </span>
          )}
        </>
      ),
    },
    { head: words.state, cell: (link) => <State link={link} /> },
    { head: words.opened, cell: (link) => <Counts link={link} /> },
    { head: words.period, cell: (link) => <Period link={link} /> },
    { head: words.created, cell: (link) => <Time at={link.created_at} /> },
    {
      head: '',
      cell: (link) =>
        here.mayChange &&
        !HAS_ENDED.has(link.state) && (
          <Button tone="danger" aria-label={`${words.revoke}: ${link.id}`} onClick={() => revoke(link)}>
            {words.revoke}
          </Button>
        ),
    },
  ]
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
function Counts({ link: { opened, uses, completed, reference } }: { link: LinkForStaff }) {
  const { language } = usePreferences()
  const said = usePageWords(linkWords)
  const here = useHere()
  const number = new Intl.NumberFormat(language)
  const text = uses === null ? number.format(opened) : said.openedOf(number.format(opened), number.format(uses))
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
      <span className="block text-[13px] whitespace-nowrap text-soft">{said.completed(number.format(completed))}</span>
    </span>
  )
}

function Period({ link: { state, starts_at, ends_at } }: { link: LinkForStaff }) {
  const words = usePageWords(linkWords)
  return (
    <span className="text-[13px] whitespace-nowrap">
      {state === 'scheduled' && (
        <span className="block">
          {words.from} <Time at={starts_at} exact />
        </span>
      )}
      {words.until} <Time at={ends_at} exact />
    </span>
  )
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
