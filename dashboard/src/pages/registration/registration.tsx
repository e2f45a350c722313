// The registration page: identity, certificates, and how templates and access certificates match them.

import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import type {
  RegisteredIdentity,
  RegistrationCertificate,
  RegistrationProblem,
  RegistrationReport,
} from '../../../../wire/registration.ts'
import { post } from '../../api.ts'
import { usePageWords, useWords } from '../../preferences.tsx'
import { useAct, useAnswer, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { useSubmit } from '../../submit.ts'
import { Confirm, Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Button, buttonClass, Card, ErrorNote, Mono, PageTitle, Skeleton, TextField } from '../../ui/parts.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { registrationWords } from '../../words/registration.ts'
import { ProblemsNote } from './problem.tsx'
import { RegisterCheck } from './register-check.tsx'
import { AddCertificate, CertificateCard, Row } from './registration-certificates.tsx'
import { Steps, stepsOf } from './registration-steps.tsx'
import { TemplatesInUse } from './registration-templates.tsx'

export function RegistrationPage() {
  const { registration: words } = usePageWords(registrationWords)
  const here = useHere()
  useTitle(words.title)
  const report = useAnswer('@/registration')
  const trust = useAnswer('@/trust')
  const [adding, setAdding] = useState(false)
  const [changing, setChanging] = useState(false)
  const hasAccess = trust.data?.certificates.some(({ origin }) => origin !== 'generated') ?? false
  const steps = report.data === undefined ? [] : stepsOf(report.data, hasAccess)
  const next = steps.find(({ isDone }) => !isDone)?.name ?? null
  const [removing, setRemoving] = useState<RegistrationCertificate | null>(null)
  return (
    <>
      <PageTitle title={words.title} lead={words.lead}>
        <Link to={here.page('/going-live')} className={buttonClass('plain')}>
          {words.toGoingLive}
        </Link>
      </PageTitle>
      <ErrorNote error={report.error} again={() => report.refetch()} />
      {report.data === undefined ? (
        report.error === null && <Skeleton lines={6} />
      ) : (
        <div className="space-y-9">
          <Steps steps={steps} onEnter={() => setChanging(true)} onAdd={() => setAdding(true)} />
          {report.data.identity !== null && <Identity report={report.data} onChange={() => setChanging(true)} />}
          {(report.data.identity !== null || report.data.certificates.length > 0) && (
            <section>
              <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
                <h2 className="font-semibold">{words.certificates}</h2>
                {here.mayChange && report.data.identity !== null && next !== 'certificate' && (
                  <Button icon="plus" onClick={() => setAdding(true)}>
                    {words.add}
                  </Button>
                )}
              </div>
              {report.data.certificates.length === 0 && <p className="text-soft">{words.none}</p>}
              <div className="grid gap-4 xl:has-[>:nth-child(2)]:grid-cols-2">
                {report.data.certificates.map((one) => (
                  <CertificateCard key={one.id} certificate={one} onRemove={setRemoving} />
                ))}
              </div>
            </section>
          )}
          <RegisterCheck register={trust.data?.register ?? null} />
          {report.data.certificates.length > 0 && <TemplatesInUse report={report.data} onAdd={() => setAdding(true)} />}
          {report.data.access_certificates.length > 0 && <Access report={report.data} />}
        </div>
      )}
      {changing && report.data !== undefined && (
        <ChangeIdentity identity={report.data.identity} onClose={() => setChanging(false)} />
      )}
      {adding && <AddCertificate onClose={() => setAdding(false)} />}
      {removing !== null && <Remove certificate={removing} onClose={() => setRemoving(null)} />}
    </>
  )
}

function Identity(props: { report: RegistrationReport; onChange(): void }) {
  const { identity, operator } = props.report
  const { registration: words } = usePageWords(registrationWords)
  const here = useHere()
  const isChangeable = here.mayChange && here.environment === 'test'
  return (
    <Card title={words.identity} action={isChangeable && <Button onClick={props.onChange}>{words.change}</Button>}>
      {identity !== null && (
        <dl className="space-y-2 text-sm">
          <Row name={words.tradeName}>{identity.trade_name}</Row>
          <Row name={words.identifierIs}>
            <Mono>{identity.identifier}</Mono>
          </Row>
          {identity.registry_uri !== null && (
            <Row name={words.registryIs}>
              <Mono>{identity.registry_uri}</Mono>
            </Row>
          )}
          <Row name={words.operatorIs}>
            {operator === null
              ? words.noOperator
              : `${operator.trade_name}${operator.is_intermediary ? ` · ${words.actsForYou}` : ''}`}
          </Row>
        </dl>
      )}
      {here.environment === 'live' && <p className="mt-3 text-sm text-soft">{words.identityLive}</p>}
    </Card>
  )
}

function ChangeIdentity({ identity, onClose }: { identity: RegisteredIdentity | null; onClose(): void }) {
  const all = useWords()
  const { registration: words } = usePageWords(registrationWords)
  const here = useHere()
  const act = useAct()
  const { busy, error, run } = useSubmit()
  const [problems, setProblems] = useState<readonly RegistrationProblem[]>([])
  const [unsaved, setUnsaved] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const form = new FormData(event.currentTarget)
    setProblems([])
    await run(async () => {
      const answer = await act(() => post('@/registration/identity', identityOf(form), here.at()))
      if (answer.outcome === 'changed') return onClose()
      setProblems(answer.problems)
    })
  }
  return (
    <Dialog title={words.identity} onClose={onClose} unsaved={unsaved}>
      <Form onSubmit={submit} onChange={() => setUnsaved(true)}>
        <ProblemsNote problems={problems} />
        <IdentityFields identity={identity} />
        <DialogFoot note={<ErrorNote error={error} />}>
          <Button onClick={onClose}>{all.cancel}</Button>
          <Button type="submit" tone="primary" busy={busy}>
            {all.save}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  )
}

/** What a person enters about the tenant, here or in a request to the operator. */
export type EnteredIdentity = Pick<RegisteredIdentity, 'identifier' | 'trade_name' | 'registry_uri'>

export function IdentityFields({ identity }: { identity: EnteredIdentity | null }) {
  const { registration: words } = usePageWords(registrationWords)
  return (
    <>
      <TextField
        label={words.identifier}
        hint={words.identifierHint}
        name="identifier"
        defaultValue={identity?.identifier ?? ''}
        maxLength={200}
        required
      />
      <TextField
        label={words.tradeName}
        name="trade_name"
        defaultValue={identity?.trade_name ?? ''}
        maxLength={200}
        required
      />
      <TextField
        label={words.registry}
        name="registry_uri"
        type="url"
        defaultValue={identity?.registry_uri ?? ''}
        maxLength={500}
      />
    </>
  )
}

export function identityOf(form: FormData) {
  const registry = String(form.get('registry_uri') ?? '').trim()
  return {
    identifier: String(form.get('identifier') ?? '').trim(),
    trade_name: String(form.get('trade_name') ?? '').trim(),
    ...(registry === '' ? {} : { registry_uri: registry }),
  }
}

const MARKS = { problem: 'failed', warning: 'warning', info: 'pending' } as const

function Access({ report }: { report: RegistrationReport }) {
  const { registration: words } = usePageWords(registrationWords)
  return (
    <section>
      <h2 className="mb-3 font-semibold">{words.access}</h2>
      <ul className="space-y-2 text-sm">
        {report.access_certificates.map((one) => (
          <li key={`${one.certificate_id} ${one.check} ${one.detail}`} className="flex flex-wrap items-center gap-2">
            <StatusMark name={MARKS[one.level]} word={words.levels[one.level]} />
            <Mono>{one.certificate_id}</Mono>
            <span lang="en">{one.detail}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Remove({ certificate, onClose }: { certificate: RegistrationCertificate; onClose(): void }) {
  const { registration: words } = usePageWords(registrationWords)
  const here = useHere()
  const act = useAct()
  return (
    <Confirm
      title={words.removeTitle(certificate.intended_use)}
      lead={words.removeLead}
      word={words.remove}
      onClose={onClose}
      action={() => act(() => post('@/registration/certificates/:id/remove', {}, here.at({ id: certificate.id })))}
    />
  )
}
