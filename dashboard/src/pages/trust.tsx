// Trust: whose credentials are accepted, from which lists, and with which certificate wallets are asked.

import type { Trust } from '../answers.ts'
import { useWords } from '../preferences.tsx'
import { useAnswer, useHere } from '../session.tsx'
import { useTitle } from '../shell.tsx'
import { ErrorNote, Mono, Note, PageTitle, Skeleton } from '../ui/parts.tsx'
import { StatusMark } from '../ui/status.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { Origins } from './origins.tsx'

const DAY_MS = 86_400_000

export function TrustPage() {
  const words = useWords()
  useTitle(words.trust.title)
  const trust = useAnswer('@/trust')
  return (
    <>
      <PageTitle title={words.trust.title} lead={words.trust.lead} />
      <ErrorNote error={trust.error} again={() => trust.refetch()} />
      {trust.data === undefined ? (
        trust.error === null && <Skeleton lines={6} />
      ) : (
        <div className="space-y-9">
          <Anchors trust={trust.data} />
          <Lists lists={trust.data.lists} />
          <Certificates certificates={trust.data.certificates} />
          <Register register={trust.data.register} />
          <Origins />
        </div>
      )}
    </>
  )
}

function Anchors({ trust }: { trust: Trust }) {
  const words = useWords()
  const { subject, types, validUntil, whose, yours, operators } = words.trust
  return (
    <section>
      <h2 className="mb-3 font-semibold">{words.trust.anchors}</h2>
      {trust.sandbox && <Note tone="plain">{words.trust.sandbox}</Note>}
      {trust.anchors.length === 0 ? (
        !trust.sandbox && <Note tone="warn">{words.trust.noAnchors}</Note>
      ) : (
        <Table
          caption={words.trust.anchors}
          rows={trust.anchors}
          keyOf={({ id }) => id}
          columns={[
            { head: subject, cell: (anchor) => anchor.subject },
            {
              head: types,
              cell: (anchor) => <Mono>{anchor.types.join(', ')}</Mono>,
            },
            { head: validUntil, cell: (anchor) => <Until at={anchor.valid_until} /> },
            { head: whose, cell: (anchor) => (anchor.own ? yours : operators) },
          ]}
        />
      )}
    </section>
  )
}

function Register({ register }: { register: Trust['register'] }) {
  const words = useWords()
  if (register === null) return null
  return (
    <section>
      <h2 className="mb-3 font-semibold">{words.trust.register}</h2>
      {register.outcome === 'same' ? (
        <p className="text-soft">
          {words.trust.registerSame} <Time at={register.looked_at} />
        </p>
      ) : (
        register.findings.map(({ code, detail }) => (
          <Note key={`${code} ${detail}`} tone="warn">
            {words.trust.findings[code]} <Mono>{detail}</Mono>
          </Note>
        ))
      )}
    </section>
  )
}

function Lists({ lists }: { lists: Trust['lists'] }) {
  const words = useWords()
  const { source, loaded, nextUpdate, state } = words.trust
  return (
    <section>
      <h2 className="mb-3 font-semibold">{words.trust.lists}</h2>
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
                list.failure === null ? <StatusMark name="ok" /> : <StatusMark name="warning" word={list.failure} />,
            },
          ]}
        />
      )}
    </section>
  )
}

function Certificates({ certificates }: { certificates: Trust['certificates'] }) {
  const words = useWords()
  const { subject, purpose, purposes, validUntil, whose, yours, operators, state, origins } = words.trust
  return (
    <section>
      <h2 className="mb-3 font-semibold">{words.trust.certificates}</h2>
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
                  {certificate.subject ?? '–'}
                  <span className="block text-soft">
                    <Mono>{certificate.client_id ?? ''}</Mono>
                  </span>
                </>
              ),
            },
            { head: purpose, cell: (certificate) => purposes[certificate.purpose] ?? certificate.purpose },
            { head: validUntil, cell: (certificate) => <Until at={certificate.valid_until} /> },
            { head: whose, cell: (certificate) => (certificate.own ? yours : operators) },
            { head: state, cell: (certificate) => origins[certificate.origin] ?? certificate.origin },
          ]}
        />
      )}
    </section>
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
