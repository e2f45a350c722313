// Shows one registration certificate, and the form to add another.

import { type ReactNode, useState } from 'react'
import type { RegistrationCertificate, RegistrationProblem } from '../../../../wire/registration.ts'
import { post } from '../../api.ts'
import { claimsByDocument, type NamedClaim } from '../../claims-in-words.ts'
import { useLabels } from '../../labels.ts'
import { usePageWords, usePreferences, useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useSubmit } from '../../submit.ts'
import { Dialog, DialogFoot, WarningsDialog } from '../../ui/dialog.tsx'
import { FileField } from '../../ui/file-field.tsx'
import { Form } from '../../ui/form.tsx'
import { AreaField, Button, Card, ErrorNote, Mono, Note, Skeleton, TextField } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { registrationWords } from '../../words/registration.ts'
import { registrationProblemWords } from '../../words/registration-problems.ts'
import { ProblemLines, ProblemsNote, ProblemText } from './problem.tsx'
import { TechnicalList } from './technical-claims.tsx'

interface CertificateProps {
  readonly certificate: RegistrationCertificate
  onRemove(certificate: RegistrationCertificate): void
}

export function CertificateCard(props: CertificateProps) {
  const [isWhole, setWhole] = useState(false)
  if (!props.certificate.shortened) return <Certificate {...props} />
  return isWhole ? <WholeCertificate {...props} /> : <Certificate {...props} onWhole={() => setWhole(true)} />
}

/** The list leaves out what long certificates may ask for. */
function WholeCertificate({ certificate, onRemove }: CertificateProps) {
  const { data, error, refetch } = useAnswer('@/registration/certificates/:id', { id: certificate.id })
  if (data !== undefined) return <Certificate certificate={data} onRemove={onRemove} />
  return error === null ? <Skeleton lines={6} /> : <ErrorNote error={error} again={() => refetch()} />
}

function Certificate({ certificate, onRemove, onWhole }: CertificateProps & { onWhole?(): void }) {
  const { registration: words } = usePageWords(registrationWords)
  const { technical } = usePageWords(registrationProblemWords)
  const { language } = usePreferences()
  const here = useHere()
  const { privacy_policy: policy } = certificate
  const claims = claimsOf(certificate)
  const purpose = purposeIn(certificate, language)
  return (
    <Card>
      <div className="mb-3 flex flex-wrap items-start justify-between gap-2">
        <h3 className="pt-2 font-medium">{certificate.service_name}</h3>
        {here.mayChange && (
          <Button
            tone="danger"
            aria-label={`${words.remove}: ${certificate.intended_use}`}
            onClick={() => onRemove(certificate)}
          >
            {words.remove}
          </Button>
        )}
      </div>
      <Marks certificate={certificate} />
      {certificate.faults.length > 0 && (
        <Note tone="bad">
          {words.faults}
          {certificate.faults.map((fault) => (
            <p key={fault.code}>
              <ProblemText problem={fault} />
            </p>
          ))}
        </Note>
      )}
      {certificate.remarks.map((remark) => (
        <Note key={remark.code} tone="warn">
          <ProblemText problem={remark} />
        </Note>
      ))}
      <dl className="space-y-2 text-sm">
        <Row name={words.expires}>
          {certificate.expires_at === null ? words.noEnd : <Time at={certificate.expires_at} exact />}
        </Row>
        {purpose !== undefined && (
          <Row name={words.purpose}>
            <span lang={purpose.lang}>{purpose.text}</span>
          </Row>
        )}
        {policy !== null && (
          <Row name={words.privacyPolicy}>
            {/^https:\/\//.test(policy) ? (
              <a className="text-accent underline" href={policy} target="_blank" rel="noreferrer">
                {policy}
              </a>
            ) : (
              policy
            )}
          </Row>
        )}
        <Row name={words.claims}>
          {onWhole === undefined ? (
            <Claims claims={claims} />
          ) : (
            <Button aria-label={`${words.showClaims}: ${certificate.intended_use}`} onClick={onWhole}>
              {words.showClaims}
            </Button>
          )}
        </Row>
        <Row name={words.useIs}>{certificate.intended_use}</Row>
      </dl>
      <details className="mt-3 text-sm">
        <summary className="min-h-6 text-accent">{technical}</summary>
        <TechnicalList claims={claims} />
        {certificate.service_id !== null && (
          <p className="mt-2">
            {words.service}: <Mono>{certificate.service_id}</Mono>
          </p>
        )}
      </details>
    </Card>
  )
}

/** In the reader's language if the certificate has it. */
export const purposeIn = ({ purposes }: RegistrationCertificate, language: string) =>
  purposes.find(({ lang }) => lang.startsWith(language)) ?? purposes[0]

export function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-1 sm:grid-cols-[11.5rem_minmax(0,1fr)]">
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}

function Claims({ claims: registered }: { claims: readonly NamedClaim[] }) {
  const { registration: words } = usePageWords(registrationWords)
  const labels = useLabels()
  return (
    <ul className="space-y-1">
      {claimsByDocument(labels, registered).map(({ document, claims }) => (
        <li key={document}>
          {document}: {claims.length === 0 ? words.wholeType : claims.join(', ')}
        </li>
      ))}
    </ul>
  )
}

const claimsOf = ({ credentials }: RegistrationCertificate): readonly NamedClaim[] =>
  credentials.flatMap(({ types, paths }) =>
    (paths.length === 0 ? [null] : paths).map((path): NamedClaim => ({ types, path })),
  )

const STATUS_MARKS = {
  none: 'expired',
  valid: 'ok',
  revoked: 'revoked',
  suspended: 'held',
  invalid: 'failed',
  unknown: 'warning',
} as const

function Marks({ certificate }: { certificate: RegistrationCertificate }) {
  const { registration: words } = usePageWords(registrationWords)
  const { ending, verified, status } = certificate
  return (
    <p className="mb-3 flex flex-wrap items-center gap-2 text-sm">
      {ending !== null && (
        <StatusMark
          name={ending === 'ended' ? 'failed' : 'warning'}
          word={ending === 'ended' ? words.ended : words.endsIn(ending)}
        />
      )}
      <StatusMark name={verified ? 'ok' : 'failed'} word={verified ? words.verified : words.unverified} />
      <StatusMark name={STATUS_MARKS[status]} word={words.statuses[status]} />
      <span className="text-soft">
        {words.checked} <Time at={certificate.checked_at} />
      </span>
    </p>
  )
}

/** The service's limit. A larger file is not even opened. */
const FILE_BYTES_MAX = 50_000

export function AddCertificate({ onClose }: { onClose(): void }) {
  const all = useWords()
  const { registration: words } = usePageWords(registrationWords)
  const here = useHere()
  const act = useAct()
  const [jwt, setJwt] = useState('')
  const [use, setUse] = useState('')
  const { busy, error, run } = useSubmit()
  const [isLong, setIsLong] = useState(false)
  const [problems, setProblems] = useState<readonly RegistrationProblem[]>([])
  const [warnings, setWarnings] = useState<readonly RegistrationProblem[]>([])
  const open = async ([file]: readonly File[]) => {
    if (file === undefined) return
    const isTooLong = file.size > FILE_BYTES_MAX
    setIsLong(isTooLong)
    setProblems([])
    if (!isTooLong) setJwt((await file.text()).trim())
  }
  const submit = async () => {
    setIsLong(false)
    setProblems([])
    await run(async () => {
      const body = { jwt: jwt.trim(), ...(use.trim() === '' ? {} : { intended_use: use.trim() }) }
      const answer = await act(() => post('@/registration/certificates', body, here.at()))
      if (answer.outcome === 'refused') setProblems(answer.problems)
      else if (answer.warnings.length === 0) return onClose()
      else setWarnings(answer.warnings)
    })
  }
  if (warnings.length > 0) {
    return (
      <WarningsDialog title={words.add} lead={words.addedWith} onClose={onClose}>
        <ProblemLines problems={warnings} />
      </WarningsDialog>
    )
  }
  return (
    <Dialog title={words.add} onClose={onClose} unsaved={jwt !== ''}>
      <Form onSubmit={submit}>
        {isLong && <Note tone="bad">{words.tooLong}</Note>}
        <ProblemsNote lead={words.notAdded} problems={problems} />
        <AreaField
          label={words.jwt}
          hint={words.jwtHint}
          rows={6}
          maxLength={FILE_BYTES_MAX}
          required
          value={jwt}
          onChange={({ currentTarget }) => setJwt(currentTarget.value)}
        />
        <FileField label={words.file} accept=".jwt,.txt,application/jwt,text/plain" onFiles={open} />
        <TextField
          label={words.intendedUse}
          hint={words.intendedUseHint}
          maxLength={200}
          value={use}
          onChange={({ currentTarget }) => setUse(currentTarget.value)}
        />
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{all.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {words.add}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}
