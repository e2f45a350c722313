// The account page: passkeys, password, language, colours, alerts, other sessions, the operator's provider.

import { startRegistration } from '@simplewebauthn/browser'
import { type FormEvent, useState } from 'react'
import { post } from '../../api.ts'
import { type Language, type Theme, usePreferences, useWords } from '../../preferences.tsx'
import { useAct, useHere } from '../../session.tsx'
import { useTitle } from '../../shell.tsx'
import { LANGUAGES } from '../../ui/choices.tsx'
import { useProblemOf } from '../../ui/field-problem.ts'
import { Form } from '../../ui/form.tsx'
import { Button, Card, ErrorNote, Note, PageTitle, TextField } from '../../ui/parts.tsx'
import { Choice } from '../../ui/segments.tsx'
import { Time } from '../../ui/time.tsx'
import { AlertMails } from '../alerts/alert-mails.tsx'
import { NewPasswordField } from './new-password.tsx'
import { ProviderButton } from './provider-sign-in.tsx'

export function AccountPage() {
  const words = useWords()
  const { me, tenant } = useHere()
  useTitle(words.me.title)
  return (
    <>
      <PageTitle title={words.me.title} lead={`${me.email} · ${words.roles[tenant.role]}, ${tenant.name}`} />
      {!me.has_password && !me.has_oidc && me.passkeys.length === 0 && <Note tone="warn">{words.me.noWayIn}</Note>}
      <div className="grid items-start gap-5 xl:grid-cols-2">
        <div className="space-y-5">
          <Passkeys />
          <Password />
        </div>
        <div className="space-y-5">
          <Preferences />
          {me.service.mail && <AlertMails />}
          {me.service.oidc !== null && <Provider name={me.service.oidc} />}
          <Sessions />
        </div>
      </div>
    </>
  )
}

function Preferences() {
  const { words, language, theme, setLanguage, setTheme } = usePreferences()
  return (
    <Card title={words.me.preferences}>
      <div className="grid gap-x-4 sm:grid-cols-2">
        <Choice<Language> label={words.language} value={language} words={LANGUAGES} onChange={setLanguage} />
        <Choice<Theme> label={words.theme} value={theme} words={words.themes} onChange={setTheme} />
      </div>
      <p className="text-sm text-soft">{words.me.preferencesHint}</p>
    </Card>
  )
}

function Provider({ name }: { name: string }) {
  const words = useWords()
  const { me, page } = useHere()
  return (
    <Card title={name}>
      {me.has_oidc ? (
        <p className="text-soft">
          {me.signed_in_with === 'oidc' ? words.me.signedInThrough(name) : words.me.connected(name)}
        </p>
      ) : (
        <>
          <p className="text-soft">{words.me.connectLead(name)}</p>
          <ProviderButton next={page('/account')} again label={words.me.connect} />
        </>
      )}
    </Card>
  )
}

function Passkeys() {
  const words = useWords()
  const { me } = useHere()
  const act = useAct()
  const [error, setError] = useState<unknown>(null)
  const add = async (event: FormEvent<HTMLFormElement>) => {
    const form = event.currentTarget
    const name = String(new FormData(form).get('name')).trim()
    setError(null)
    try {
      await act(async () => {
        const optionsJSON = await post('/me/passkeys/options', {})
        const response = await startRegistration({ optionsJSON }).catch(() => null)
        if (response !== null) await post('/me/passkeys', { name, response })
      })
      form.reset()
    } catch (caught) {
      setError(caught)
    }
  }
  const remove = (id: string) => act(() => post('/me/passkeys/remove', { id })).catch(setError)
  return (
    <Card title={words.me.passkeys}>
      <p className="mb-4 text-soft">{words.me.passkeysLead}</p>
      <ErrorNote error={error} />
      {me.passkeys.length === 0 && <p className="mb-4">{words.me.noPasskeys}</p>}
      <ul className="mb-4 space-y-3 empty:hidden">
        {me.passkeys.map((passkey) => (
          <li key={passkey.id} className="flex flex-wrap items-center justify-between gap-3">
            <span>
              <span className="font-medium">{passkey.name}</span>
              <span className="block text-sm text-soft">
                {words.me.added} <Time at={passkey.created_at} />, {words.me.used} <Time at={passkey.last_used_at} />
              </span>
            </span>
            <Button tone="danger" aria-label={`${words.me.remove}: ${passkey.name}`} onClick={() => remove(passkey.id)}>
              {words.me.remove}
            </Button>
          </li>
        ))}
      </ul>
      <Form onSubmit={add} className="flex flex-wrap items-start gap-x-3">
        <div className="min-w-48 grow">
          <TextField
            label={words.me.passkeyName}
            name="name"
            placeholder={words.me.passkeyExample}
            maxLength={me.terms.name_length_max}
            autoComplete="off"
            required
          />
        </div>
        <Button type="submit" tone="primary" className="sm:mt-6">
          {words.me.addPasskey}
        </Button>
      </Form>
    </Card>
  )
}

function Password() {
  const words = useWords()
  const { me } = useHere()
  const act = useAct()
  const [error, setError] = useState<unknown>(null)
  const problem = useProblemOf(error, 'password_not_taken')
  const [changed, setChanged] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const form = event.currentTarget
    const password = new FormData(form).get('password')
    setError(null)
    setChanged(false)
    try {
      await act(() => post('/me/password', { password }))
      form.reset()
      setChanged(true)
    } catch (caught) {
      setError(caught)
    }
  }
  return (
    <Card title={words.me.password}>
      <ErrorNote error={error} atField={['password_not_taken']} />
      {changed && <Note tone="good">{words.me.passwordChanged}</Note>}
      <Form onSubmit={submit}>
        <input type="email" name="email" value={me.email} autoComplete="username" readOnly hidden />
        <NewPasswordField
          label={words.me.newPassword}
          hint={words.link.passwordHint(me.terms.password_length_min)}
          minLength={me.terms.password_length_min}
          problem={problem}
          required
        />
        <p className="mb-4 text-sm text-soft">{words.me.passwordAsks}</p>
        <Button type="submit">{me.has_password ? words.me.changePassword : words.me.setPassword}</Button>
      </Form>
    </Card>
  )
}

function Sessions() {
  const words = useWords()
  const act = useAct()
  const [ended, setEnded] = useState<number | null>(null)
  const [error, setError] = useState<unknown>(null)
  const end = () =>
    act(() => post('/me/sessions/end-others', {}))
      .then((answer) => setEnded(answer.ended))
      .catch(setError)
  return (
    <Card title={words.me.sessions}>
      <ErrorNote error={error} />
      {ended !== null && <Note tone="good">{words.me.ended(ended)}</Note>}
      <p className="mb-4 text-soft">{words.me.sessionsLead}</p>
      <Button onClick={end}>{words.me.endOthers}</Button>
    </Card>
  )
}
