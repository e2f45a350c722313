// The certificates that sign requests, and the keys that still have no certificate.

import type { Trust } from '../../../../wire/trust.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useHere } from '../../session.tsx'
import { Button, Mono } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { trustWords } from '../../words/trust.ts'
import type { Certificate } from './certificate-request.tsx'
import { ForOwner, NothingYet, TrustSection } from './trust-section.tsx'

const DAY_MS = 86_400_000

export type CertificateAct =
  | { readonly what: 'request' | 'install' }
  | { readonly what: 'showRequest' | 'withdrawKey'; readonly waiting: Certificate }

interface Props {
  readonly certificates: Trust['certificates']
  ask(doing: CertificateAct): void
}

export function Certificates({ certificates, ask }: Props) {
  const words = useWords()
  const more = usePageWords(trustWords)
  const { isOwner, environment } = useHere()
  const { subject, purpose, purposes, validUntil, byOperator, state, origins } = words.trust
  return (
    <TrustSection
      title={words.trust.certificates}
      lead={words.trust.certificatesLead}
      actions={
        <ForOwner>
          <Button onClick={() => ask({ what: 'request' })}>{more.request}</Button>
          <Button onClick={() => ask({ what: 'install' })}>{more.install}</Button>
        </ForOwner>
      }
    >
      {certificates.length === 0 ? (
        <NothingYet>{environment === 'live' ? words.trust.noCertificatesLive : words.trust.noCertificates}</NothingYet>
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
                    <details className="text-[13px] font-normal text-soft">
                      <summary className="min-h-6">{more.technical}</summary>
                      <Mono>{certificate.client_id}</Mono>
                    </details>
                  )}
                </>
              ),
            },
            { head: purpose, cell: (certificate) => purposes[certificate.purpose] ?? certificate.purpose },
            { head: validUntil, cell: (certificate) => <Until at={certificate.valid_until} /> },
            {
              head: state,
              cell: ({ state: known, origin, own }) => (
                <>
                  {known === 'waiting' ? (
                    <StatusMark name="pending" word={more.waiting} />
                  ) : (
                    <StatusMark name={origin === 'generated' ? 'expired' : 'ok'} word={origins[origin] ?? origin} />
                  )}
                  {!own && <span className="block text-[13px] text-soft">{byOperator}</span>}
                </>
              ),
            },
            {
              head: '',
              cell: (certificate) =>
                isOwner &&
                certificate.own &&
                certificate.state === 'waiting' && (
                  <span className="flex flex-wrap justify-end gap-2 xl:flex-nowrap">
                    <Button onClick={() => ask({ what: 'showRequest', waiting: certificate })}>{more.view}</Button>
                    <Button tone="danger" onClick={() => ask({ what: 'withdrawKey', waiting: certificate })}>
                      {more.withdrawKey}
                    </Button>
                  </span>
                ),
            },
          ]}
        />
      )}
    </TrustSection>
  )
}

/** The name of a certificate: the common name, or else the organisation; the full name as a tooltip. */
export function Distinguished({ name }: { name: string }) {
  // In a name, a comma is escaped with a backslash.
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

export function Until({ at }: { at: string | null }) {
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
