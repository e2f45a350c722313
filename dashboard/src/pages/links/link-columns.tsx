// One row of the list of links: name, state, counts, end and actions.

import { Link, useNavigate } from 'react-router'
import type { CreatedLink } from '../../../../wire/links.ts'
import type { LinkForStaff } from '../../../../wire/verifications-staff.ts'
import { usePageWords, usePreferences } from '../../preferences.tsx'
import { useHere } from '../../session.tsx'
import { useTemplateTitle } from '../../template-titles.ts'
import { useNarrow } from '../../ui/narrow.ts'
import { Button, Copy } from '../../ui/parts.tsx'
import { type RowAction, RowMenu } from '../../ui/row-menu.tsx'
import { StatusMark } from '../../ui/status.tsx'
import type { Column } from '../../ui/table.tsx'
import { localeOf, Time } from '../../ui/time.tsx'
import { linkWords } from '../../words/links.ts'

/** Addresses of links that were created since the app was loaded, by id. */
export const ADDRESSES = new Map<string, CreatedLink>()

interface RowActions {
  show(link: CreatedLink): void
  replace(link: LinkForStaff): void
  revoke(link: LinkForStaff): void
}

/** What finds the link's verifications, which have its name as reference; null: it has none, or no name. */
export const verificationsOf = ({ reference, opened }: LinkForStaff): { readonly find: string } | null =>
  reference === null || opened === 0 ? null : { find: reference.value }

export function useLinkColumns(actions: RowActions): Column<LinkForStaff>[] {
  const words = usePageWords(linkWords)
  const isNarrow = useNarrow()
  const last: Column<LinkForStaff> = { head: '', cell: (link) => <Actions link={link} {...actions} /> }
  const first: Column<LinkForStaff> = { head: words.asks, cell: (link) => <Name link={link} /> }
  const created: Column<LinkForStaff> = {
    head: words.createdAt,
    cell: ({ created_at: at }) => (
      <span className="text-soft">
        <Time at={at} />
      </span>
    ),
  }
  return [
    first,
    { head: words.state, cell: (link) => <State link={link} /> },
    { head: words.used, cell: (link) => <Uses link={link} /> },
    ...(isNarrow ? [] : [created]),
    { head: words.period, cell: (link) => <Period link={link} /> },
    last,
  ]
}

function Name({ link }: { link: LinkForStaff }) {
  const words = usePageWords(linkWords)
  const here = useHere()
  const titleOf = useTemplateTitle()
  const template = link.template === null ? words.ownQuery : titleOf(link.template)
  const name = link.reference?.value ?? template
  const search = verificationsOf(link)
  const about = [...(link.reference === null ? [] : [template]), ...(link.purpose === null ? [] : [link.purpose])]
  return (
    <div className="max-sm:pr-10">
      {search === null ? (
        <span className="font-medium">{name}</span>
      ) : (
        <Link
          to={here.page('/verifications')}
          state={search}
          aria-label={words.verifications(name)}
          className="font-medium text-accent underline"
        >
          {name}
        </Link>
      )}
      {about.length > 0 && (
        <span className="block max-w-80 truncate font-normal text-soft" title={about.join(' · ')}>
          {about.join(' · ')}
        </span>
      )}
    </div>
  )
}

const HAS_ENDED: ReadonlySet<LinkForStaff['state']> = new Set(['used_up', 'ended', 'revoked'])

function Actions({ link, show, replace, revoke }: RowActions & { link: LinkForStaff }) {
  const words = usePageWords(linkWords)
  const here = useHere()
  const navigate = useNavigate()
  const titleOf = useTemplateTitle()
  if (!here.mayChange) return null
  const address = ADDRESSES.get(link.id)
  const isOver = HAS_ENDED.has(link.state)
  const canReplace = !isOver && link.state !== 'unavailable'
  const name = [
    link.template === null ? words.ownQuery : titleOf(link.template),
    link.reference?.value ?? link.id,
  ].join(', ')
  const renew: RowAction = { label: words.replace, icon: 'again', onChoose: () => replace(link) }
  const again: RowAction = {
    label: words.similar,
    icon: 'plus',
    onChoose: () => navigate(`?${new URLSearchParams({ new: link.template ?? '' })}`),
  }
  const end: RowAction = { label: words.revoke, icon: 'stop', isDanger: true, onChoose: () => revoke(link) }
  const more = [...(canReplace ? [renew] : []), ...(link.template === null ? [] : [again]), ...(isOver ? [] : [end])]
  return (
    <div className="flex flex-wrap items-center gap-2 sm:flex-nowrap sm:justify-end">
      {address !== undefined && !isOver && (
        <>
          <Copy text={address.url} label={words.copy} />
          <Button icon="qr" aria-label={`${words.qrCode}: ${name}`} onClick={() => show(address)}>
            {words.qrCode}
          </Button>
        </>
      )}
      <span data-corner className="max-sm:absolute max-sm:top-3 max-sm:right-2">
        <RowMenu label={`${words.more}: ${name}`} actions={more} />
      </span>
    </div>
  )
}

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

function Uses({ link: { opened, uses, completed } }: { link: LinkForStaff }) {
  const { language } = usePreferences()
  const pageWords = usePageWords(linkWords)
  const number = new Intl.NumberFormat(language)
  return (
    <span className="whitespace-nowrap tabular-nums">
      {pageWords.usedOf(number.format(opened), uses === null ? null : number.format(uses))}
      {opened > 0 && (
        <span className="block text-[13px] text-soft">{pageWords.completed(number.format(completed))}</span>
      )}
    </span>
  )
}

function Period({ link: { state, starts_at, ends_at } }: { link: LinkForStaff }) {
  const { language } = usePreferences()
  const words = usePageWords(linkWords)
  if (HAS_ENDED.has(state)) return <span className="text-soft">–</span>
  return state === 'scheduled' ? (
    <>
      {words.starts} <Time at={starts_at} exact />
    </>
  ) : (
    <span title={new Date(ends_at).toLocaleString(localeOf(language))} className="whitespace-nowrap">
      {timeLeft(ends_at, language)}
      <span className="block text-[13px] text-soft">
        <Time at={ends_at} exact />
      </span>
    </span>
  )
}

const HOUR_MS = 3_600_000

/** Formats the time until the end in days, and on the last day in hours. */
function timeLeft(at: string, language: string): string {
  const hours = Math.max(0, Math.ceil((Date.parse(at) - Date.now()) / HOUR_MS))
  const [left, unit] = hours >= 48 ? ([Math.floor(hours / 24), 'day'] as const) : ([hours, 'hour'] as const)
  return new Intl.RelativeTimeFormat(language).format(left, unit)
}
