// Lost access: request a link by mail, and choose a new password with it.

import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link as RouterLink, useLocation, useNavigate } from 'react-router'
import { ApiError, post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useProblemOf } from '../../ui/field-problem.ts'
import { Form } from '../../ui/form.tsx'
import { Button, buttonClass, ErrorNote, Note, TextField } from '../../ui/parts.tsx'
import { NewPasswordField } from './new-password.tsx'
import { useSignInMethods } from './provider-sign-in.tsx'
import { SignedOutPage } from './signed-out-page.tsx'

export function LostAccessPage() {
  const { hash } = useLocation()
  const token = hash.slice(1)
  return token === '' ? <AskForLink /> : <UseLink token={token} />
}

function AskForLink() {
  const words = useWords()
  const [error, setError] = useState<unknown>(null)
  const [requested, setRequested] = useState(false)
  const methods = useSignInMethods()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const email = new FormData(event.currentTarget).get('email')
    setError(null)
    try {
      await post('/sign-in/lost-access', { email })
      setRequested(true)
    } catch (caught) {
      setError(caught)
    }
  }
  if (requested) {
    return (
      <SignedOutPage title={words.lostAccess.sentTitle}>
        <Note tone="good">{words.lostAccess.sent}</Note>
        <p className="mb-5 text-soft">{words.lostAccess.sentNext}</p>
        <RouterLink to="/sign-in" className={`${buttonClass()} w-full`}>
          {words.lostAccess.back}
        </RouterLink>
      </SignedOutPage>
    )
  }
  if (methods !== undefined && methods.lost_access === null) {
    return (
      <SignedOutPage title={words.lostAccess.link} lead={words.lostAccess.noMail}>
        <RouterLink to="/sign-in" className={`${buttonClass()} w-full`}>
          {words.lostAccess.back}
        </RouterLink>
      </SignedOutPage>
    )
  }
  return (
    <SignedOutPage title={words.lostAccess.title} lead={words.lostAccess.lead}>
      <ErrorNote error={error} />
      <Form onSubmit={submit}>
        <TextField label={words.signIn.email} name="email" type="email" autoComplete="username" required />
        <Button type="submit" tone="primary" className="w-full">
          {words.lostAccess.send}
        </Button>
      </Form>
      <RouterLink to="/sign-in" className="mt-4 block text-center text-sm underline">
        {words.lostAccess.back}
      </RouterLink>
    </SignedOutPage>
  )
}

function UseLink({ token }: { token: string }) {
  const words = useWords()
  const client = useQueryClient()
  const navigate = useNavigate()
  const methods = useSignInMethods()
  const [error, setError] = useState<unknown>(null)
  const problem = useProblemOf(error, 'password_not_taken')
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const password = String(new FormData(event.currentTarget).get('password'))
    setError(null)
    try {
      await post('/sign-in/lost-access/use', { token, password })
      await client.resetQueries()
      navigate('/', { replace: true })
    } catch (caught) {
      setError(caught)
    }
  }
  if (error instanceof ApiError && error.code === 'link_not_valid') {
    return (
      <SignedOutPage title={words.link.spent}>
        <p className="mb-5 text-soft">{words.lostAccess.invalid}</p>
        <RouterLink to="/lost-access" className={`${buttonClass('primary')} w-full`}>
          {words.lostAccess.again}
        </RouterLink>
      </SignedOutPage>
    )
  }
  return (
    <SignedOutPage title={words.lostAccess.choose} lead={words.lostAccess.replaces}>
      <ErrorNote error={error} atField={['password_not_taken']} />
      <Form onSubmit={submit}>
        <NewPasswordField
          problem={problem}
          label={words.link.password}
          hint={words.link.passwordHint(methods?.lost_access?.password_length_min ?? 12)}
          required
        />
        <Button type="submit" tone="primary" className="w-full">
          {words.lostAccess.choose}
        </Button>
      </Form>
    </SignedOutPage>
  )
}
