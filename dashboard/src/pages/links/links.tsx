// The page of links that start verifications: list, create, replace, revoke.

import { useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import type { CreatedLink } from '../../../../wire/links.ts'
import type { LinkForStaff } from '../../../../wire/verifications-staff.ts'
import { post } from '../../api.ts'
import { pageFrom } from '../../filters.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { buttonClass, Empty, ErrorNote, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { Table } from '../../ui/table.tsx'
import { linkWords } from '../../words/links.ts'
import { LinkAddress } from './link-address.tsx'
import { ADDRESSES, useLinkColumns, verificationsOf } from './link-columns.tsx'
import { NewLink } from './new-link.tsx'

export function LinksPage() {
  const words = useWords()
  const pageWords = usePageWords(linkWords)
  const here = useHere()
  useTitle(words.links.title)
  const [params] = useSearchParams()
  const navigate = useNavigate()
  const before = params.get('before')
  const query = new URLSearchParams(before === null ? {} : { before })
  const page = useAnswer('@/links', { query, everyMs: 15_000 })
  const [created, setCreated] = useState<CreatedLink | null>(null)
  const [shown, setShown] = useState<CreatedLink | null>(null)
  const [revoking, setRevoking] = useState<LinkForStaff | null>(null)
  const [replacing, setReplacing] = useState<LinkForStaff | null>(null)
  const columns = useLinkColumns({ show: setShown, replace: setReplacing, revoke: setRevoking })
  const keep = (link: CreatedLink) => {
    ADDRESSES.set(link.id, link)
    setCreated(link)
  }
  const isEmpty = before === null && page.data?.data.length === 0
  const close = () => navigate('?', { replace: true })
  return (
    <>
      <PageTitle title={words.links.title} lead={pageWords.lead}>
        {here.mayChange && !isEmpty && <CreateButton />}
      </PageTitle>
      <ErrorNote error={page.error} again={() => page.refetch()} />
      {page.data === undefined ? (
        page.error === null && <Skeleton lines={6} />
      ) : isEmpty ? (
        <Empty icon="links" title={pageWords.empty}>
          <p className="mb-5">{pageWords.emptyLead}</p>
          {here.mayChange && <CreateButton />}
          <Examples />
        </Empty>
      ) : (
        <>
          <Table
            caption={words.links.title}
            columns={columns}
            rows={page.data.data}
            keyOf={({ id }) => id}
            open={(link) => {
              const state = verificationsOf(link)
              if (state !== null) navigate(here.page('/verifications'), { state })
            }}
          />
          {here.mayChange && <p className="mt-3 text-sm text-soft">{pageWords.addressNote}</p>}
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
          onCreated={(link) => {
            keep(link)
            close()
          }}
        />
      )}
      {created !== null && <LinkAddress link={created} isNew onClose={() => setCreated(null)} />}
      {shown !== null && <LinkAddress link={shown} isNew={false} onClose={() => setShown(null)} />}
      {replacing !== null && <Replace link={replacing} onClose={() => setReplacing(null)} onCreated={keep} />}
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

/** Examples of what links are for, shown while there are no links. */
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

function Replace(props: { link: LinkForStaff; onClose(): void; onCreated(link: CreatedLink): void }) {
  const words = usePageWords(linkWords)
  const here = useHere()
  const act = useAct()
  return (
    <Confirm
      title={words.replaceTitle}
      lead={words.replaceLead}
      word={words.replace}
      onClose={props.onClose}
      action={async () =>
        props.onCreated(await act(() => post('@/links/:id/replace', {}, here.at({ id: props.link.id }))))
      }
    />
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
