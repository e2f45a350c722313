// The form to sign in, also again: password, passkey, or the operator's provider.

import { startAuthentication } from '@simplewebauthn/browser'
import { type FormEvent, useState } from 'react'
import { ApiError, post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useProblemOf } from '../../ui/field-problem.ts'
import { Form } from '../../ui/form.tsx'
import { Button, ErrorNote, Note, TextField } from '../../ui/parts.tsx'
import { LostAccessLink } from './lost-access-link.tsx'
import { PasswordField } from './new-password.tsx'
import { type Leaving, ProviderButton } from './provider-sign-in.tsx'

interface Props {
  email?: string
  onDone(): void
  leaving: Leaving
}

export function SignInForm({ email, onDone, leaving }: Props) {
  const words = useWords()
  const [error, setError] = useState<unknown>(null)
  const [declined, setDeclined] = useState(false)
  const [busy, setBusy] = useState(false)
  const wrong = useProblemOf(error, 'sign_in_failed')
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setError(null)
    setDeclined(false)
    try {
      await work()
    } catch (caught) {
      setError(caught)
    }
    setBusy(false)
  }
  const withPassword = (event: FormEvent<HTMLFormElement>) => {
    const fields = new FormData(event.currentTarget)
    return attempt(async () => {
      await post('/sign-in/password', { email: email ?? fields.get('email'), password: fields.get('password') })
      onDone()
    })
  }
  const withPasskey = () =>
    attempt(async () => {
      const optionsJSON = await post('/sign-in/passkey/options', {})
      const response = await startAuthentication({ optionsJSON }).catch(() => null)
      if (response === null) return setDeclined(true)
      try {
        await post('/sign-in/passkey', { response })
      } catch (caught) {
        if (!isWrong(caught)) throw caught
        return setDeclined(true)
      }
      onDone()
    })
  return (
    <div>
      <ErrorNote error={error} atField={['sign_in_failed']} />
      {declined && <Note tone="warn">{words.signIn.passkeyFailed}</Note>}
      <Form onSubmit={withPassword}>
        {email === undefined ? (
          <TextField label={words.signIn.email} name="email" type="email" autoComplete="username" required />
        ) : (
          <input type="email" name="email" defaultValue={email} autoComplete="username" readOnly hidden />
        )}
        <div className="relative">
          <PasswordField label={words.signIn.password} autoComplete="current-password" required problem={wrong} />
          {email === undefined && <LostAccessLink />}
        </div>
        <Button type="submit" tone="primary" busy={busy} className="w-full">
          {words.signIn.submit}
        </Button>
      </Form>
      <p className="my-3 text-center text-sm text-soft">{words.signIn.or}</p>
      <Button onClick={withPasskey} busy={busy} className="w-full">
        {words.signIn.passkey}
      </Button>
      <ProviderButton {...leaving} label={words.signIn.provider} />
    </div>
  )
}

const isWrong = (error: unknown) => error instanceof ApiError && error.code === 'sign_in_failed'
