// One verification: what happened, what was checked, what was told; and how it goes.

import { type ReactNode, useState } from 'react'
import { Link, useParams } from 'react-router'
import { isEncrypted } from '../../../sdk/src/result.ts'
import type { Delivery, VerificationDetail } from '../answers.ts'
import { useWords } from '../preferences.tsx'
import { useAnswer, useHere } from '../session.tsx'
import { useTitle } from '../shell.tsx'
import { useTemplateTitle } from '../template-titles.ts'
import { Button, buttonClass, Card, Copy, ErrorNote, Mono, PageTitle, Skeleton } from '../ui/parts.tsx'
import { StatusMark } from '../ui/status.tsx'
import { Time } from '../ui/time.tsx'
import type { Words } from '../words/en.ts'
import { EncryptedClaims } from './encrypted-claims.tsx'
import { OpenVerification } from './open-verification.tsx'
import { Erase, Forget } from './verification-removal.tsx'

export function VerificationPage() {
  const words = useWords()
  const here = useHere()
  const { id = '' } = useParams()
  useTitle(words.verifications.title)
  const found = useAnswer('@/verifications/:id', { id, everyMs: 3_000 })
  const titleOf = useTemplateTitle()
  const [erasing, setErasing] = useState(false)
  const [forgetting, setForgetting] = useState(false)
  return (
    <>
      <Link to={here.page('/verifications')} className="mb-4 inline-block text-sm text-accent underline">
        ← {words.detail.back}
      </Link>
      {found.error !== null && <PageTitle title={words.verifications.title} />}
      <ErrorNote error={found.error} />
      {found.data === undefined ? (
        found.error === null && <Skeleton lines={8} />
      ) : (
        <>
          <PageTitle title={found.data.template === null ? words.verifications.ownQuery : titleOf(found.data.template)}>
            <Copy text={found.data.id} label={`${words.copy}: ${words.verifications.id}`} />
            {found.data.responded_at !== null && (
              <Link to={here.page(`/proof?verification=${found.data.id}`)} className={buttonClass('plain')}>
                {words.proof.show}
              </Link>
            )}
            {here.mayChange && hasContent(found.data) && (
              <Button tone="danger" onClick={() => setForgetting(true)}>
                {words.forgetting.forget}
              </Button>
            )}
            {here.mayChange && (
              <Button tone="danger" onClick={() => setErasing(true)}>
                {words.detail.erase}
              </Button>
            )}
          </PageTitle>
          <p className="-mt-4 mb-6 flex flex-wrap items-center gap-3">
            <StatusMark name={found.data.status} />
            <Mono>{found.data.id}</Mono>
          </p>
          <OpenVerification verification={found.data} />
          <div className="grid gap-5 xl:grid-cols-2">
            <Timeline verification={found.data} />
            <div className="min-w-0 space-y-5">
              <Claims verification={found.data} />
              <Credentials verification={found.data} />
              <About verification={found.data} />
            </div>
          </div>
        </>
      )}
      {forgetting && <Forget id={id} onClose={() => setForgetting(false)} />}
      {erasing && <Erase id={id} onClose={() => setErasing(false)} />}
    </>
  )
}

/** Also where one's role shows no values. */
const hasContent = ({ claim_names: names, credentials }: VerificationDetail) => names !== null || credentials.length > 0

function Timeline({ verification }: { verification: VerificationDetail }) {
  const words = useWords()
  const { actor, status } = verification
  const who = `${actor.name ?? actor.id} · ${words.verifications.actors[actor.type] ?? actor.type}`
  return (
    <Card title={words.detail.timeline}>
      <ol className="relative space-y-5 border-l border-line pl-6">
        <Moment at={verification.created_at} title={words.detail.created}>
          {who}
        </Moment>
        {verification.request_fetched_at !== null && (
          <Moment at={verification.request_fetched_at} title={words.detail.fetched} />
        )}
        {verification.responded_at !== null && (
          <Moment at={verification.responded_at} title={words.detail.responded}>
            <StatusMark name={status} />
            {verification.error !== null && (
              <span className="mt-1 block">
                <Mono>{verification.error.code}</Mono>:{' '}
                {words.failures[verification.error.code] ?? verification.error.message}
              </span>
            )}
          </Moment>
        )}
        {verification.redeemed_at !== null && <Moment at={verification.redeemed_at} title={words.detail.redeemed} />}
        {status === 'expired' && (
          <Moment
            at={verification.expires_at}
            title={verification.cancelled ? words.detail.cancelled : words.detail.expired}
          />
        )}
        {status === 'pending' && <Moment at={verification.expires_at} title={words.detail.expires} />}
        {verification.deliveries.map((delivery) => (
          <Moment key={delivery.id} at={delivery.created_at} title={words.detail.delivery}>
            <StatusMark name={delivery.state} />
            <Attempts delivery={delivery} />
          </Moment>
        ))}
      </ol>
    </Card>
  )
}

function Moment({ at, title, children }: { at: string; title: string; children?: ReactNode }) {
  return (
    <li className="relative">
      <span aria-hidden="true" className="absolute top-2 -left-[29px] size-2.5 rounded-full bg-accent" />
      <p className="font-medium">{title}</p>
      <p className="text-sm text-soft">
        <Time at={at} exact />
      </p>
      {children !== undefined && <div className="mt-1 text-sm">{children}</div>}
    </li>
  )
}

export function Attempts({ delivery }: { delivery: Delivery }) {
  const words = useWords()
  return (
    <ul className="mt-2 space-y-1 text-sm">
      {delivery.attempts.map((attempt, index) => (
        <li key={attempt.started_at}>
          {index + 1}. <Time at={attempt.started_at} exact />{' '}
          <Mono>{attempt.http_status ?? attempt.outcome ?? words.webhooks.running}</Mono>
          {attempt.trigger === 'manual' && <span className="text-soft"> {words.webhooks.manual}</span>}{' '}
          <span className="break-all text-soft">{attempt.url}</span>
        </li>
      ))}
    </ul>
  )
}

function Claims({ verification }: { verification: VerificationDetail }) {
  const words = useWords()
  const { claims, claim_names: names } = verification
  return (
    <Card title={words.detail.claims}>
      {claims !== null && isEncrypted({ claims }) ? (
        <EncryptedClaims verification={verification} claims={claims}>
          {(opened) => <ClaimList claims={opened} />}
        </EncryptedClaims>
      ) : claims !== null ? (
        <ClaimList claims={claims} />
      ) : names !== null ? (
        <>
          <p className="mb-2">{names.join(', ')}</p>
          <p className="text-sm text-soft">{words.detail.claimsHidden}</p>
        </>
      ) : (
        <p className="text-soft">
          {verification.status === 'completed' ? words.resultKeys.forgotten : words.detail.noClaims}
        </p>
      )}
    </Card>
  )
}

function ClaimList({ claims }: { claims: Readonly<Record<string, unknown>> }) {
  const words = useWords()
  return (
    <dl className="space-y-2">
      {Object.entries(claims).map(([name, value]) => (
        <div key={name} className="grid gap-1 sm:grid-cols-[12rem_minmax(0,1fr)]">
          <dt className="text-soft">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">{showValue(name, value, words)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A portrait is not spelled out. */
function showValue(name: string, value: unknown, words: Words): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (name === 'portrait') return words.detail.image(`${Math.ceil((text.length * 3) / 4 / 1024)} KB`)
  return text.length > 300 ? `${text.slice(0, 80)}… (${text.length})` : text
}

function Credentials({ verification }: { verification: VerificationDetail }) {
  const words = useWords()
  if (verification.credentials.length === 0) return null
  const { trusted, signature, binding } = words.detail.checks
  return (
    <Card title={words.detail.credentials}>
      <div className="space-y-5">
        {verification.credentials.map((credential) => (
          <div key={`${credential.format} ${credential.doctype_or_vct}`}>
            <p className="font-medium">
              <Mono>{credential.doctype_or_vct}</Mono>
            </p>
            <p className="text-sm text-soft">
              {words.detail.issuer}: {credential.issuer.common_name ?? words.detail.unknownIssuer}{' '}
              {credential.issuer.country ?? ''} · {credential.format}
            </p>
            <ul className="mt-2 flex flex-wrap gap-2">
              {[
                [trusted, credential.trusted],
                [signature, credential.signature_valid],
                [binding, credential.holder_binding_valid],
              ].map(([name, holds]) => (
                <li key={String(name)}>
                  <StatusMark
                    name={holds === true ? 'ok' : 'failed'}
                    word={`${name}: ${holds === true ? words.detail.yes : words.detail.no}`}
                  />
                </li>
              ))}
            </ul>
            <ul className="mt-2 space-y-1 text-sm">
              {credential.findings.map((finding) => (
                <li key={`${finding.check} ${finding.detail ?? ''}`}>
                  <Mono>{finding.check}</Mono> {finding.status} {finding.detail ?? ''}
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </Card>
  )
}

function About({ verification }: { verification: VerificationDetail }) {
  const words = useWords()
  const rows: [string, string | null][] = [
    [words.detail.purpose, verification.purpose],
    ['webhook_url', verification.webhook_url],
    ['redirect_url', verification.redirect_url],
    [words.detail.metadata, verification.metadata === null ? null : JSON.stringify(verification.metadata)],
  ]
  const known = rows.filter(([, value]) => value !== null)
  if (known.length === 0) return null
  return (
    <Card title={words.detail.about}>
      <dl className="space-y-2">
        {known.map(([name, value]) => (
          <div key={name} className="grid gap-1 sm:grid-cols-[12rem_minmax(0,1fr)]">
            <dt className="text-soft">{name}</dt>
            <dd className="break-all">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
