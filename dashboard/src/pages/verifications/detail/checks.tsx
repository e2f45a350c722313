// What was checked of each document, and what each check proved, in words.

import { documentLabel } from '../../../../../labels/catalogue.ts'
import type { VerificationDetail } from '../../../../../wire/verifications-staff.ts'
import { useLabels } from '../../../labels.ts'
import { useHere } from '../../../session.tsx'
import { Card, Mono, Note } from '../../../ui/parts.tsx'
import { otherFindings, type Proof, type ProofState, proofsOf } from './proofs.ts'
import { useVerificationWords } from './words.ts'

type Credential = VerificationDetail['credentials'][number]

export function Checks({ verification }: { verification: VerificationDetail }) {
  const { formats } = useHere().me.terms
  const words = useVerificationWords()
  const { credentials, status, forgotten_at: forgottenAt } = verification
  const nothing = status === 'failed' && forgottenAt !== null ? 'forgotten' : status
  return (
    <Card title={words.checks}>
      {credentials.length === 0 ? (
        <p className="text-soft">{words.noChecks[nothing]}</p>
      ) : (
        <div className="space-y-8">
          {credentials.map((credential) => (
            <Document
              key={`${credential.format} ${credential.doctype_or_vct}`}
              credential={credential}
              proofs={proofsOf(credential, formats)}
            />
          ))}
        </div>
      )}
    </Card>
  )
}

function Document({ credential, proofs }: { credential: Credential; proofs: readonly Proof[] }) {
  const words = useVerificationWords()
  const labels = useLabels()
  const { doctype_or_vct: type, issuer, format } = credential
  const name = type === '' ? words.unknownDocument : (documentLabel(labels, type) ?? type)
  return (
    <section aria-label={name}>
      <h3 className="font-medium">{name}</h3>
      {issuer.common_name !== undefined && (
        <p className="text-sm text-soft">
          {words.issuer} {issuer.common_name}
          {issuer.country !== undefined && `, ${issuer.country}`}
        </p>
      )}
      {type !== '' && (
        <p className="text-sm text-soft">
          <Mono>{type}</Mono> · <Mono>{format}</Mono>
        </p>
      )}
      <ul className="mt-4 divide-y divide-line [&>li]:py-3">
        {proofs.map((proof) => (
          <Proven key={proof.name} proof={proof} />
        ))}
      </ul>
      {otherFindings(credential).map((finding) => (
        <div key={`${finding.check} ${finding.detail ?? ''}`} className="mt-4">
          <Note tone="warn">
            {words.reservation}: <span lang="en">{finding.detail ?? finding.check}</span>
          </Note>
        </div>
      ))}
    </section>
  )
}

const LOOKS: Record<ProofState, { colour: string; path: string }> = {
  proven: { colour: 'text-good bg-good-soft', path: 'M4.8 8.3l2.2 2.2 4.2-4.6' },
  failed: { colour: 'text-bad bg-bad-soft', path: 'M5.5 5.5l5 5m0-5l-5 5' },
  warning: { colour: 'text-warn bg-warn-soft', path: 'M8 4.8v4m0 2.2v.2' },
  skipped: { colour: 'text-soft bg-sunken', path: 'M5 8h6' },
  unchecked: { colour: 'text-soft bg-sunken', path: 'M5 8h6' },
  not_provable: { colour: 'text-soft bg-sunken', path: 'M5 8h6' },
}

function Proven({ proof: { name, state, details } }: { proof: Proof }) {
  const words = useVerificationWords()
  const { title, ...texts } = words.proofs[name]
  const { colour, path } = LOOKS[state]
  return (
    <li className="flex gap-3">
      <span className={`grid size-6 shrink-0 place-items-center rounded-full ${colour}`}>
        <svg
          viewBox="0 0 16 16"
          className="size-4"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.8"
          strokeLinecap="round"
          aria-hidden="true"
        >
          <path d={path} />
        </svg>
      </span>
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium">{title}</span>
          <span
            className={`text-[13px] font-medium ${state === 'failed' ? 'text-bad' : state === 'warning' ? 'text-warn' : state === 'proven' ? 'text-good' : 'text-soft'}`}
          >
            {words.states[state]}
          </span>
        </p>
        <p className="text-sm text-soft">
          {state === 'proven' || state === 'failed' ? texts[state] : words.statesLong[state]}
        </p>
        {state !== 'unchecked' && state !== 'proven' && details.length > 0 && (
          <details className="mt-1 text-sm text-soft">
            <summary className="min-h-6">{words.outcome.technical}</summary>
            {details.map((detail) => (
              <p key={detail} lang="en" className="mt-1">
                {detail}
              </p>
            ))}
          </details>
        )}
      </div>
    </li>
  )
}
