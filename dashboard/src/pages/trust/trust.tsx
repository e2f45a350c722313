// Trust: whose credentials are accepted, from which lists, and with which certificate wallets are asked.

import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import type { Trust } from '../../../../wire/trust.ts'
import { post } from '../../api.ts'
import { useLabels, vouchedLabel } from '../../labels.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Button, ErrorNote, Mono, Note, PageTitle, Skeleton } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { trustWords } from '../../words/trust.ts'
import { RegisterLook } from '../registration/register-look.tsx'
import { type Certificate, RequestForm, WaitingRequest, WithdrawKey } from './certificate-request.tsx'
import { Origins } from './origins.tsx'
import { AnchorForm, InstallForm, ListForm } from './trust-form.tsx'

const DAY_MS = 86_400_000

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
        <div className="space-y-9">
          <Anchors trust={trust.data} ask={setDoing} />
          <Lists trust={trust.data} ask={setDoing} />
          <Certificates certificates={trust.data.certificates} ask={setDoing} />
          <RegisterLook register={trust.data.register} />
          <Origins />
        </div>
      )}
      {doing !== null && <Act doing={doing} onClose={() => setDoing(null)} />}
    </>
  )
}

type Doing =
  | { readonly what: 'anchor' | 'list' | 'request' | 'install' }
  | { readonly what: 'showRequest' | 'withdrawKey'; readonly waiting: Certificate }
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

/** A heading, and beside it what an owner may do. */
function Head({ title, children }: { title: string; children: ReactNode }) {
  const { isOwner } = useHere()
  return (
    <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
      <h2 className="font-semibold">{title}</h2>
      {isOwner && <div className="flex flex-wrap gap-2">{children}</div>}
    </div>
  )
}

function Anchors({ trust, ask }: { trust: Trust } & Asking) {
  const words = useWords()
  const labels = useLabels()
  const here = useHere()
  const more = usePageWords(trustWords)
  const { isOwner } = here
  const { subject, types, validUntil, whose, yours, operators } = words.trust
  return (
    <section>
      <Head title={words.trust.anchors}>
        {trust.own_allowed && <Button onClick={() => ask({ what: 'anchor' })}>{more.addAnchor}</Button>}
      </Head>
      {isOwner && !trust.own_allowed && (
        <p className="mb-3 text-sm text-soft">
          {more.notInLive}{' '}
          <Link to={here.page('/going-live')} className="text-accent underline">
            {more.askOperator}
          </Link>
        </p>
      )}
      {trust.sandbox && <Note tone="plain">{words.trust.sandbox}</Note>}
      {trust.anchors.length === 0 ? (
        !trust.sandbox && <Note tone="warn">{words.trust.noAnchors}</Note>
      ) : (
        <Table
          caption={words.trust.anchors}
          rows={trust.anchors}
          keyOf={({ id }) => id}
          columns={[
            { head: subject, cell: (anchor) => <Distinguished name={anchor.subject} /> },
            {
              head: types,
              cell: (anchor) => (
                <ul>
                  {anchor.types.map((type) => (
                    <li key={type} title={type} className="wrap-anywhere">
                      {vouchedLabel(labels, here.me.terms.formats, type)}
                    </li>
                  ))}
                  {anchor.sole_type !== null && (
                    <li className="text-sm text-soft wrap-anywhere">{more.soleType(anchor.sole_type.namespace)}</li>
                  )}
                </ul>
              ),
            },
            { head: validUntil, cell: (anchor) => <Until at={anchor.valid_until} /> },
            { head: whose, cell: (anchor) => (anchor.own ? yours : operators) },
            {
              head: '',
              cell: ({ id, own, from_list: fromList, subject: name }) =>
                isOwner &&
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
      )}
      {trust.anchor_count > trust.anchors.length && (
        <p className="mt-3 text-sm text-soft">{more.someAnchors(trust.anchors.length, trust.anchor_count)}</p>
      )}
    </section>
  )
}

function Lists({ trust: { lists, own_allowed: ownAllowed }, ask }: { trust: Trust } & Asking) {
  const words = useWords()
  const more = usePageWords(trustWords)
  const { isOwner } = useHere()
  const { source, loaded, nextUpdate, state } = words.trust
  return (
    <section>
      <Head title={words.trust.lists}>
        {ownAllowed && <Button onClick={() => ask({ what: 'list' })}>{more.addList}</Button>}
      </Head>
      {lists.length === 0 ? (
        <p className="text-soft">{words.trust.noLists}</p>
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
    </section>
  )
}

function Certificates({ certificates, ask }: { certificates: Trust['certificates'] } & Asking) {
  const words = useWords()
  const more = usePageWords(trustWords)
  const { isOwner } = useHere()
  const { subject, purpose, purposes, validUntil, whose, yours, operators, state, origins } = words.trust
  return (
    <section>
      <Head title={words.trust.certificates}>
        <Button onClick={() => ask({ what: 'request' })}>{more.request}</Button>
        <Button onClick={() => ask({ what: 'install' })}>{more.install}</Button>
      </Head>
      {certificates.length === 0 ? (
        <p className="text-soft">{words.trust.noCertificates}</p>
      ) : (
        <Table
          caption={words.trust.certificates}
          rows={certificates}
          keyOf={({ id }) => id}
          columns={[
            {
              head: subject,
              cell: (certificate) => (
                <>
                  {certificate.subject === null ? (
                    <Requested certificate={certificate} />
                  ) : (
                    <Distinguished name={certificate.subject} />
                  )}
                  {certificate.client_id !== null && (
                    <span
                      title={certificate.client_id}
                      className="block max-w-56 truncate font-mono text-[13px] text-soft"
                    >
                      {certificate.client_id}
                    </span>
                  )}
                </>
              ),
            },
            { head: purpose, cell: (certificate) => purposes[certificate.purpose] ?? certificate.purpose },
            { head: validUntil, cell: (certificate) => <Until at={certificate.valid_until} /> },
            { head: whose, cell: (certificate) => (certificate.own ? yours : operators) },
            {
              head: state,
              isLong: true,
              cell: ({ state: known, origin }) =>
                known === 'waiting' ? <StatusMark name="pending" word={more.waiting} /> : (origins[origin] ?? origin),
            },
            {
              head: '',
              cell: (certificate) =>
                isOwner &&
                certificate.own &&
                certificate.state === 'waiting' && (
                  <span className="flex flex-wrap gap-2 sm:flex-nowrap">
                    <Button onClick={() => ask({ what: 'showRequest', waiting: certificate })}>{more.showCsr}</Button>
                    <Button tone="danger" onClick={() => ask({ what: 'withdrawKey', waiting: certificate })}>
                      {more.withdrawKey}
                    </Button>
                  </span>
                ),
            },
          ]}
        />
      )}
    </section>
  )
}

/** The name of a certificate: the common name, or else the organisation; the full name as a tooltip. */
function Distinguished({ name }: { name: string }) {
  // A comma that belongs to a name has a backslash before it.
  const parts = name.split(/(?<!\\), /)
  const part = (type: string) => parts.find((one) => one.startsWith(`${type}=`))?.slice(type.length + 1) ?? null
  const [common, organization] = [part('CN'), part('O')]
  if (common === null) return name
  return (
    <span title={name}>
      {common}
      {organization !== null && organization !== common && <span className="text-soft"> · {organization}</span>}
    </span>
  )
}

function Requested({ certificate }: { certificate: Certificate }) {
  const { requested } = usePageWords(trustWords)
  return (
    <>
      {requested} <Time at={certificate.created_at} exact />
    </>
  )
}

function Until({ at }: { at: string | null }) {
  const soonMs = useHere().me.terms.certificate_warning_days * DAY_MS
  if (at === null) return <>–</>
  const left = new Date(at).getTime() - Date.now()
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Time at={at} exact />
      {left <= 0 ? <StatusMark name="expired" /> : left < soonMs && <StatusMark name="warning" />}
    </span>
  )
}
