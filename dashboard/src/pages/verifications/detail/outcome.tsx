// The outcome at the top of the page: the answer, or the reason and the remedy.

import { Link } from 'react-router'
import { answerLabel } from '../../../../../labels/catalogue.ts'
import { isEncrypted } from '../../../../../sdk/typescript/src/result.ts'
import type { VerificationDetail } from '../../../../../wire/verifications-staff.ts'
import { useLabels } from '../../../labels.ts'
import { usePreferences, useWords } from '../../../preferences.tsx'
import { useHere } from '../../../session.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { buttonClass, Mono, Note } from '../../../ui/parts.tsx'
import { localeOf } from '../../../ui/time.tsx'
import { answerOf } from './answer.ts'
import { unprovenOf } from './proofs.ts'
import { useVerificationWords } from './words.ts'

/** The page that has the remedy. */
const REMEDY_PAGES: Readonly<Record<string, 'trust' | 'templates' | 'settings'>> = {
  issuer_untrusted: 'trust',
  query_not_satisfied: 'templates',
  status_unavailable: 'settings',
}

/** Codes after which another attempt may succeed, because person, wallet or document may differ. */
const MAY_ASK_AGAIN: ReadonlySet<string> = new Set([
  'wallet_declined',
  'wallet_error',
  'credential_invalid',
  'holder_binding_invalid',
  'credential_expired',
  'status_unavailable',
  'proof_unavailable',
])

export function Outcome({ verification }: { verification: VerificationDetail }) {
  const all = useWords()
  const words = useVerificationWords()
  const here = useHere()
  const { status, error, cancelled } = verification
  if (status === 'pending') return null
  if (status === 'expired')
    return <Note tone="plain">{cancelled ? words.outcome.cancelled : words.outcome.expired}</Note>
  if (error === null) return <Completed verification={verification} />
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

/** The answer in one line. */
function Completed({ verification }: { verification: VerificationDetail }) {
  const words = useVerificationWords()
  const labels = useLabels()
  const { language } = usePreferences()
  const { formats } = useHere().me.terms
  const unproven = unprovenOf(verification.credentials, formats)
  const { claims, claim_names: names, forgotten_at: forgottenAt } = verification
  const day = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeZone: 'UTC' })
  const list = (parts: readonly string[]) => new Intl.ListFormat(language).format(parts)
  const isContradicted = verification.credentials.some(({ findings }) =>
    findings.some(({ check }) => check === 'claim_conflict'),
  )
  const answer = answerOf(claims === null || isEncrypted({ claims }) ? null : claims, isContradicted)
  const sentences = {
    person: ({ name, born }: { name: string; born: string | null }) =>
      born === null ? name : words.outcome.born(name, day.format(new Date(`${born}T00:00:00Z`))),
    answers: (names: readonly string[], word: string) =>
      `${word}: ${list(names.map((one) => answerLabel(labels, one)))}`,
  }
  const isNo = answer?.kind === 'answers' && answer.no.length > 0
  const title =
    answer?.kind === 'person'
      ? sentences.person(answer)
      : answer?.kind === 'answers'
        ? [
            ...(answer.yes.length > 0 ? [sentences.answers(answer.yes, words.yes)] : []),
            ...(answer.no.length > 0 ? [sentences.answers(answer.no, words.no)] : []),
          ].join(' · ')
        : forgottenAt !== null
          ? words.outcome.deleted
          : claims !== null && answer === null
            ? words.outcome.encrypted
            : list(
                (names ?? Object.keys(claims ?? {}))
                  .filter((one) => one !== '$jwe')
                  .map((one) => answerLabel(labels, one)),
              )
  return (
    <section
      className={`mb-5 overflow-hidden rounded-2xl border border-line border-l-4 bg-surface p-5 sm:p-6 ${isNo ? 'border-l-warn' : 'border-l-good'}`}
    >
      <div className="flex items-start gap-4">
        <span
          className={`grid size-10 shrink-0 place-items-center rounded-full ${isNo ? 'bg-warn-soft text-warn' : 'bg-good-soft text-good'}`}
        >
          <Icon name={isNo ? 'fail' : 'check'} className="size-5" />
        </span>
        <div className="min-w-0 max-w-[68ch]">
          <p className={`text-sm font-medium ${isNo ? 'text-warn' : 'text-good'}`}>{words.outcome.confirmed}</p>
          <h2 className="text-lg font-semibold text-balance">{title === '' ? words.outcome.completed : title}</h2>
          <p className="mt-1 text-soft">
            {[
              words.outcome.completed,
              ...unproven.map(({ name, state }) => `${words.proofs[name].title}: ${words.states[state]}.`),
            ].join(' ')}
          </p>
        </div>
      </div>
    </section>
  )
}
