// The trust page: accepted issuers, trust lists, and the certificates that sign requests.

import { useState } from 'react'
import { Link } from 'react-router'
import type { Trust } from '../../../../wire/trust.ts'
import { post } from '../../api.ts'
import { useLabels, vouchedLabel } from '../../labels.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Button, buttonClass, ErrorNote, Mono, Note, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { apartWords } from '../../words/apart.ts'
import { trustWords } from '../../words/trust.ts'
import { RegisterCheck } from '../registration/register-check.tsx'
import { RequestForm, WaitingRequest, WithdrawKey } from './certificate-request.tsx'
import { type CertificateAct, Certificates, Distinguished, Until } from './certificates.tsx'
import { Origins } from './origins.tsx'
import { AnchorForm, InstallForm, ListForm } from './trust-form.tsx'
import { ForOwner, NothingYet, TrustSection } from './trust-section.tsx'

export function TrustPage() {
  const words = useWords()
  useTitle(words.trust.title)
  const trust = useAnswer('@/trust')
  const [doing, setDoing] = useState<Doing | null>(null)
  return (
    <>
      <PageTitle title={words.trust.title} lead={words.trust.lead} />
      <ErrorNote error={trust.error} again={() => trust.refetch()} />
      {trust.data === undefined ? (
        trust.error === null && <Skeleton lines={6} />
      ) : (
        <div className="space-y-5">
          <Certificates certificates={trust.data.certificates} ask={setDoing} />
          <Anchors trust={trust.data} ask={setDoing} />
          <Lists trust={trust.data} ask={setDoing} />
          <RegisterCheck register={trust.data.register} />
          <Origins />
        </div>
      )}
      {doing !== null && <Act doing={doing} onClose={() => setDoing(null)} />}
    </>
  )
}

type Doing =
  | CertificateAct
  | { readonly what: 'anchor' | 'list' }
  | { readonly what: 'removeAnchor' | 'removeList'; readonly id: string; readonly name: string }

interface Asking {
  ask(doing: Doing): void
}

function Act({ doing, onClose }: { doing: Doing; onClose(): void }) {
  const words = usePageWords(trustWords)
  const here = useHere()
  const act = useAct()
  switch (doing.what) {
    case 'anchor':
      return <AnchorForm onClose={onClose} />
    case 'list':
      return <ListForm onClose={onClose} />
    case 'request':
      return <RequestForm onClose={onClose} />
    case 'showRequest':
      return <WaitingRequest waiting={doing.waiting} onClose={onClose} />
    case 'withdrawKey':
      return <WithdrawKey waiting={doing.waiting} onClose={onClose} />
    case 'install':
      return <InstallForm onClose={onClose} />
    case 'removeAnchor':
      return (
        <Confirm
          title={words.removeAnchorTitle(doing.name)}
          lead={words.removeAnchorLead}
          word={words.removeAnchor}
          onClose={onClose}
          action={() => act(() => post('@/trust/anchors/:id/remove', {}, here.at({ id: doing.id })))}
        />
      )
    case 'removeList':
      return (
        <Confirm
          title={words.removeListTitle}
          lead={words.removeListLead}
          word={words.removeList}
          onClose={onClose}
          action={() => act(() => post('@/trust/lists/:id/remove', {}, here.at({ id: doing.id })))}
        />
      )
  }
}

function Anchors({ trust, ask }: { trust: Trust } & Asking) {
  const { apart } = usePageWords(apartWords)
  const words = useWords()
  const here = useHere()
  const more = usePageWords(trustWords)
  const isRegistrar = ({ types }: Anchor) => types.length > 0 && types.every((type) => apart[type] !== undefined)
  const issuers = trust.anchors.filter((anchor) => !isRegistrar(anchor))
  const registrars = trust.anchors.filter(isRegistrar)
  const accepted = trust.sandbox && issuers.length > 0 ? more.anchorsLeadTest : words.trust.anchorsLead
  return (
    <>
      <TrustSection
        title={words.trust.anchors}
        lead={trust.own_allowed ? accepted : `${accepted} ${more.notInLive}`}
        actions={
          <ForOwner>
            {trust.own_allowed ? (
              <Button onClick={() => ask({ what: 'anchor' })}>{more.addAnchor}</Button>
            ) : (
              <Link to={here.page('/going-live')} className={buttonClass('plain')}>
                {more.askOperator}
              </Link>
            )}
          </ForOwner>
        }
      >
        {issuers.length > 0 ? (
          <AnchorTable caption={words.trust.anchors} signs={words.trust.types} anchors={issuers} ask={ask} />
        ) : trust.sandbox ? (
          <NothingYet>{words.trust.sandbox}</NothingYet>
        ) : (
          <Note tone="warn">{trust.own_allowed ? words.trust.noAnchors : words.trust.noAnchorsLive}</Note>
        )}
        {trust.anchor_count > trust.anchors.length && (
          <p className="mt-3 text-sm text-soft">{more.someAnchors(trust.anchors.length, trust.anchor_count)}</p>
        )}
      </TrustSection>
      {registrars.length > 0 && (
        <TrustSection title={more.registrars} lead={more.registrarsLead} actions={null}>
          <AnchorTable caption={more.registrars} signs={more.signs} anchors={registrars} ask={ask} />
        </TrustSection>
      )}
    </>
  )
}

type Anchor = Trust['anchors'][number]

interface AnchorTableProps extends Asking {
  readonly caption: string
  /** The heading of the column with the types that issuers sign. */
  readonly signs: string
  readonly anchors: readonly Anchor[]
}

function AnchorTable({ caption, signs, anchors, ask }: AnchorTableProps) {
  const { apart } = usePageWords(apartWords)
  const words = useWords()
  const labels = useLabels()
  const here = useHere()
  const more = usePageWords(trustWords)
  const { subject, validUntil, whose, yours, operators } = words.trust
  return (
    <Table
      caption={caption}
      rows={anchors}
      keyOf={({ id }) => id}
      columns={[
        { head: subject, cell: (anchor) => <Distinguished name={anchor.subject} /> },
        {
          head: signs,
          cell: (anchor) => (
            <ul>
              {anchor.types.map((type) => (
                <li key={type} title={type} className="wrap-anywhere">
                  {apart[type] ?? vouchedLabel(labels, here.me.terms.formats, type)}
                </li>
              ))}
              {anchor.type_count > anchor.types.length && (
                <li className="text-sm text-soft">{more.moreTypes(anchor.type_count - anchor.types.length)}</li>
              )}
              {anchor.sole_type !== null && (
                <li className="text-sm text-soft wrap-anywhere">
                  {more.soleType(anchor.sole_type.namespace)}{' '}
                  {anchor.proofs_accepted ? more.proofsAccepted : more.proofsRefused}
                </li>
              )}
            </ul>
          ),
        },
        { head: validUntil, cell: (anchor) => <Until at={anchor.valid_until} /> },
        { head: whose, cell: (anchor) => (anchor.own ? yours : operators) },
        {
          head: '',
          cell: ({ id, own, from_list: fromList, subject: name }) =>
            here.isOwner &&
            own &&
            !fromList && (
              <Button
                tone="danger"
                aria-label={`${more.removeAnchor}: ${name}`}
                onClick={() => ask({ what: 'removeAnchor', id, name })}
              >
                {more.removeAnchor}
              </Button>
            ),
        },
      ]}
    />
  )
}

function Lists({ trust: { lists, own_allowed: ownAllowed }, ask }: { trust: Trust } & Asking) {
  const words = useWords()
  const more = usePageWords(trustWords)
  const { isOwner } = useHere()
  const { source, loaded, nextUpdate, state } = words.trust
  return (
    <TrustSection
      title={words.trust.lists}
      lead={words.trust.listsLead}
      actions={
        <ForOwner>{ownAllowed && <Button onClick={() => ask({ what: 'list' })}>{more.addList}</Button>}</ForOwner>
      }
    >
      {lists.length === 0 ? (
        <NothingYet>{words.trust.noLists}</NothingYet>
      ) : (
        <Table
          caption={words.trust.lists}
          rows={lists}
          keyOf={({ id }) => id}
          columns={[
            { head: source, cell: (list) => <Mono>{list.source}</Mono> },
            { head: loaded, cell: (list) => <Time at={list.loaded_at} /> },
            {
              head: nextUpdate,
              cell: (list) => (list.next_update_at === null ? '–' : <Time at={list.next_update_at} exact />),
            },
            {
              head: state,
              cell: (list) =>
                list.failure === null ? (
                  <StatusMark name="ok" />
                ) : (
                  <>
                    <StatusMark name="warning" word={more.listFailed} />
                    <span lang="en" className="block text-[13px] text-soft">
                      {list.failure}
                    </span>
                  </>
                ),
            },
            {
              head: '',
              cell: ({ id, source: name, tenant_id: tenant }) =>
                isOwner &&
                tenant !== null && (
                  <Button
                    tone="danger"
                    aria-label={`${more.removeList}: ${name}`}
                    onClick={() => ask({ what: 'removeList', id, name })}
                  >
                    {more.removeList}
                  </Button>
                ),
            },
          ]}
        />
      )}
    </TrustSection>
  )
}
