// Who created a verification and why, its reference, its end, and its receipt.

import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { VerificationDetail } from '../../../../../wire/verifications-staff.ts'
import { usePreferences, useWords } from '../../../preferences.tsx'
import { useHere } from '../../../session.tsx'
import { Card } from '../../../ui/parts.tsx'
import { Time } from '../../../ui/time.tsx'
import { useVerificationWords } from './words.ts'

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
    [words.receipt, isOver ? <Receipt key="receipt" id={verification.id} /> : null],
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
  const { proof } = useWords()
  const here = useHere()
  return (
    <>
      <p>{words.receiptLead}</p>
      <Link to={here.page(`/proof?verification=${id}`)} className="mt-1 inline-block text-accent underline">
        {proof.show}
      </Link>
      <details className="mt-2 text-sm text-soft">
        <summary className="min-h-6">{words.forDevelopers}</summary>
        <code className="mt-1 block font-mono text-[13px]">
          GET /v1/
          <wbr />
          verifications/
          <wbr />
          {id}
          <wbr />
          /receipt
        </code>
      </details>
    </>
  )
}

export function Metadata({ metadata }: { metadata: VerificationDetail['metadata'] }) {
  const words = useVerificationWords()
  const { language } = usePreferences()
  const rows = Object.entries(metadata ?? {}).toSorted(([one], [other]) => one.localeCompare(other, language))
  if (rows.length === 0) return null
  return (
    <Card title={words.metadata}>
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
    </Card>
  )
}
