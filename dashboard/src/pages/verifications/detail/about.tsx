// What was asked with it: by whom, why, with which reference; how it came to its end, and where its receipt is.

import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import type { VerificationDetail } from '../../../../../wire/verifications-staff.ts'
import { ApiError, get } from '../../../api.ts'
import { saveFile } from '../../../key-file.ts'
import { usePreferences, useWords } from '../../../preferences.tsx'
import { useHere } from '../../../session.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { buttonClass, Card, ErrorNote, Mono, Note } from '../../../ui/parts.tsx'
import { Time } from '../../../ui/time.tsx'
import { useVerificationWords } from './words.ts'

/** Where something can be done about it. */
const REMEDY_PAGES: Readonly<Record<string, 'trust' | 'templates' | 'settings'>> = {
  issuer_untrusted: 'trust',
  query_not_satisfied: 'templates',
  status_unavailable: 'settings',
}

/** Asking once more can help: the person, the wallet or the document may be another then. */
const MAY_ASK_AGAIN: ReadonlySet<string> = new Set([
  'wallet_declined',
  'wallet_error',
  'credential_invalid',
  'holder_binding_invalid',
  'credential_expired',
  'status_unavailable',
  'proof_unavailable',
])

/** How it ended, before everything else: and why, where it failed. */
export function Outcome({ verification }: { verification: VerificationDetail }) {
  const all = useWords()
  const words = useVerificationWords()
  const here = useHere()
  const { status, error, cancelled } = verification
  if (status === 'pending') return null
  if (status === 'expired')
    return <Note tone="plain">{cancelled ? words.outcome.cancelled : words.outcome.expired}</Note>
  if (error === null) return <Note tone="good">{words.outcome.completed}</Note>
  const remedy = words.remedies[error.code]
  const page = REMEDY_PAGES[error.code]
  const canAskAgain = here.mayChange && verification.template !== null && MAY_ASK_AGAIN.has(error.code)
  return (
    <section
      role="alert"
      className="mb-5 overflow-hidden rounded-2xl border border-line border-l-4 border-l-bad bg-surface p-5 sm:p-6"
    >
      <div className="flex items-start gap-4">
        <span className="grid size-10 shrink-0 place-items-center rounded-full bg-bad-soft text-bad">
          <Icon name="fail" className="size-5" />
        </span>
        <div className="min-w-0 max-w-[68ch]">
          <p className="text-sm font-medium text-bad">{words.outcome.why}</p>
          <h2 className="text-lg font-semibold text-balance">{all.failures[error.code] ?? error.message}</h2>
          {remedy !== undefined && (
            <p className="mt-2">
              <span className="font-medium">{words.outcome.next}:</span> {remedy}
            </p>
          )}
          {(page !== undefined || canAskAgain) && (
            <div className="mt-4 flex flex-wrap gap-2">
              {page !== undefined && (
                <Link to={here.page(`/${page}`)} className={buttonClass('plain')}>
                  {words.openPages[page]}
                </Link>
              )}
              {canAskAgain && (
                <Link
                  to={here.page(`/verifications?${new URLSearchParams({ new: verification.template ?? '' })}`)}
                  className={buttonClass('plain')}
                >
                  <Icon name="again" />
                  {all.asking.create}
                </Link>
              )}
            </div>
          )}
          <details className="mt-4 text-sm text-soft">
            <summary className="min-h-6">{words.outcome.technical}</summary>
            <p className="mt-1">
              <Mono>{error.code}</Mono>: <span lang="en">{error.message}</span>
            </p>
          </details>
        </div>
      </div>
    </section>
  )
}

export function About({ verification }: { verification: VerificationDetail }) {
  const all = useWords()
  const words = useVerificationWords()
  const { channels } = useHere().me.terms
  const { language } = usePreferences()
  const { actor, status, responded_at: answered, expires_at: end } = verification
  const isOver = answered !== null
  const rows: readonly (readonly [string, ReactNode | null])[] = [
    [words.purpose, verification.purpose],
    [words.by, `${actor.name ?? actor.id} · ${all.verifications.actors[actor.type] ?? actor.type}`],
    [words.created, <Time key="created" at={verification.created_at} exact />],
    [status === 'pending' ? words.ends : words.ended, <Time key="end" at={answered ?? end} exact />],
    [
      words.channel,
      channels.find(({ name }) => name === verification.channel)?.label[language] ?? verification.channel,
    ],
    [words.webhook, verification.webhook_url],
    [words.redirect, verification.redirect_url],
    [words.receipt, isOver ? <Receipt key="receipt" id={verification.id} /> : words.receiptNone],
  ]
  return (
    <Card title={words.about}>
      <dl className="space-y-3">
        {rows.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt className="text-sm text-soft">{name}</dt>
              <dd className="wrap-anywhere">{value}</dd>
            </div>
          ),
        )}
      </dl>
    </Card>
  )
}

function Receipt({ id }: { id: string }) {
  const words = useVerificationWords()
  return (
    <span className="text-sm">
      {words.receiptLead}
      <code className="mt-1 block font-mono text-[13px]">
        GET /v1/
        <wbr />
        verifications/
        <wbr />
        {id}
        <wbr />
        /receipt
      </code>
      <Certificate id={id} />
    </span>
  )
}

/** For people: a page to hand on. */
function Certificate({ id }: { id: string }) {
  const words = useVerificationWords()
  const here = useHere()
  const { language } = usePreferences()
  const [error, setError] = useState<unknown>(null)
  const download = async () => {
    setError(null)
    try {
      const at = here.at({ id, query: new URLSearchParams({ language }) })
      const { name, pdf } = await get('@/verifications/:id/certificate', at)
      saveFile(name, new Blob([pdf], { type: 'application/pdf' }))
    } catch (fault) {
      setError(fault)
    }
  }
  const isSoon = error instanceof ApiError && error.status === 503
  return (
    <>
      <button type="button" onClick={download} className="mt-2 block text-accent underline">
        {words.certificate}
      </button>
      {isSoon ? <Note tone="plain">{words.certificateSoon}</Note> : <ErrorNote error={error} />}
    </>
  )
}

export function Metadata({ metadata }: { metadata: VerificationDetail['metadata'] }) {
  const words = useVerificationWords()
  const { language } = usePreferences()
  const rows = Object.entries(metadata ?? {}).toSorted(([one], [other]) => one.localeCompare(other, language))
  return (
    <Card title={words.metadata}>
      {rows.length === 0 ? (
        <p className="text-soft">{words.metadataNone}</p>
      ) : (
        <>
          <p className="mb-3 text-sm text-soft">{words.metadataLead}</p>
          <table className="w-full table-fixed text-left text-sm">
            <thead className="text-soft">
              <tr>
                <th scope="col" className="w-2/5 py-1.5 pr-3 font-medium">
                  {words.key}
                </th>
                <th scope="col" className="py-1.5 font-medium">
                  {words.value}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(([name, value]) => (
                <tr key={name} className="border-t border-line align-top">
                  <td className="py-1.5 pr-3 font-mono text-[13px] break-all">{name}</td>
                  <td className="py-1.5 wrap-anywhere">{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </Card>
  )
}
