// The request as the wallet saw it, loaded when it is opened.

import { type ReactNode, useState } from 'react'
import type { VerificationRequest } from '../../../../../wire/verifications-staff.ts'
import { writeJson } from '../../../json-writing.ts'
import { usePreferences } from '../../../preferences.tsx'
import { useAnswer } from '../../../session.tsx'
import { Card, Code, Copy, ErrorNote, Mono, Skeleton } from '../../../ui/parts.tsx'
import { PlainQuestion } from '../plain-question.tsx'
import { useVerificationWords } from './words.ts'

export function Request({ id }: { id: string }) {
  const words = useVerificationWords()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Card>
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary className="font-semibold">{words.request}</summary>
        <div className="mt-4">{isOpen && <Read id={id} />}</div>
      </details>
    </Card>
  )
}

function Read({ id }: { id: string }) {
  const words = useVerificationWords()
  const found = useAnswer('@/verifications/:id/request', { id })
  if (found.error !== null) return <ErrorNote error={found.error} again={() => found.refetch()} />
  if (found.data === undefined) return <Skeleton lines={5} />
  const { request, encryption_key: key, built_in: builtIn, by_age_link: byAgeLink } = found.data
  const text = writeJson(request)
  const lead = byAgeLink ? words.requestByAgeLink : words.requestLead
  const texts = [lead, words.requestKey[key], ...(builtIn ? [words.requestBuiltIn] : [])]
  return (
    <>
      <p className="mb-4 text-sm text-soft">{texts.join(' ')}</p>
      <Parts shown={found.data} />
      <div className="mt-5 mb-2 flex flex-wrap items-center justify-between gap-3">
        <h3 className="text-sm font-medium">{byAgeLink ? words.linkParameters : words.decoded}</h3>
        <Copy text={text} />
      </div>
      <div className="max-h-[32rem] overflow-auto rounded-lg bg-sunken">
        <Code>{text}</Code>
      </div>
    </>
  )
}

function Parts({ shown }: { shown: VerificationRequest }) {
  const { requestParts: words } = useVerificationWords()
  const text = (name: string) => {
    const value = (shown.request as Record<string, unknown>)[name]
    return <Mono>{typeof value === 'string' ? value : JSON.stringify(value)}</Mono>
  }
  const rows: readonly (readonly [string, ReactNode])[] = [
    [words.client, text('client_id')],
    [words.mode, text('response_mode')],
    [words.uri, text('response_uri')],
    [words.origin, <Mono key="origin">{shown.origin}</Mono>],
    [words.registration, <Registered key="registered" shown={shown} />],
    [words.question, <PlainQuestion key="question" question={shown.question} warn={false} />],
  ]
  return (
    <dl className="divide-y divide-line">
      {rows.map(([name, value]) => (
        <div key={name} className="grid gap-x-4 gap-y-0.5 py-2.5 sm:grid-cols-[13rem_minmax(0,1fr)]">
          <dt className="text-soft">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Registered({ shown: { registration, registration_forgotten: isForgotten } }: { shown: VerificationRequest }) {
  const words = useVerificationWords()
  const { language } = usePreferences()
  if (registration === null) return isForgotten ? words.registrationForgotten : words.notRegistered
  const { purposes, privacy_policy: policy, intended_use: use } = registration
  const purpose = purposes.find(({ lang }) => lang.toLowerCase().startsWith(language)) ?? purposes[0]
  return (
    <>
      <Mono>{use}</Mono>
      {purpose !== undefined && <p lang={purpose.lang}>{purpose.text}</p>}
      {policy !== null && (
        <p className="text-sm text-soft">
          {words.privacyPolicy}: <Mono>{policy}</Mono>
        </p>
      )}
    </>
  )
}
