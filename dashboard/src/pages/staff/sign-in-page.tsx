// The sign-in page, and the page of a one-time link.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link as RouterLink, useLocation, useNavigate } from 'react-router'
import type { SignInLink } from '../../../../wire/staff.ts'
import { ApiError, post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { useMe } from '../../session.tsx'
import { useProblemOf } from '../../ui/field-problem.ts'
import { Form } from '../../ui/form.tsx'
import { Button, buttonClass, ErrorNote, Skeleton } from '../../ui/parts.tsx'
import { NewPasswordField } from './new-password.tsx'
import { forgetNext, keptNext, ownPath, ProviderButton, useRefusal } from './provider-sign-in.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { SignedOutPage } from './signed-out-page.tsx'

const nextOf = (state: unknown): string => ownPath((state as { next?: unknown } | null)?.next)

export function SignInPage() {
  const words = useWords()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { state, search } = useLocation()
  const refusal = useRefusal(search)
  const next = refusal === null ? nextOf(state) : keptNext()
  const done = async () => {
    await client.resetQueries()
    forgetNext()
    navigate(next, { replace: true })
  }
  return (
    <SignedOutPage title={words.signIn.title}>
      <ErrorNote error={refusal} />
      <SignInForm onDone={done} leaving={{ next }} />
      <p className="mt-6 text-sm text-soft">{words.signIn.help}</p>
    </SignedOutPage>
  )
}

export function LinkPage() {
  const words = useWords()
  const { hash } = useLocation()
  const token = hash.slice(1)
  const [another, setAnother] = useState(false)
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: () => post('/links/look', { token }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (link.isError) {
    const known = link.error instanceof ApiError && link.error.code === 'link_not_valid'
    return (
      <SignedOutPage title={known ? words.link.spent : words.link.title}>
        {known ? <SpentLink /> : <ErrorNote error={link.error} again={() => link.refetch()} />}
      </SignedOutPage>
    )
  }
  if (link.data === undefined) {
    return (
      <SignedOutPage title={words.link.title}>
        <Skeleton lines={3} />
      </SignedOutPage>
    )
  }
  const { data } = link
  const asksForPassword = !data.needs_sign_in || another
  return (
    <SignedOutPage title={words.link.title} lead={words.link.about(data.tenant_name, words.roles[data.role])}>
      {asksForPassword ? <Use token={token} link={data} another={another} /> : <Accept token={token} link={data} />}
      {data.may_open_another && !another && (
        <div className="mt-6 border-t border-line pt-4">
          <p className="mb-3 text-sm text-soft">{words.link.notMine}</p>
          <Button className="w-full" onClick={() => setAnother(true)}>
            {words.link.openAnother}
          </Button>
        </div>
      )}
    </SignedOutPage>
  )
}

/** For a used link: offers the sign-in, or the start page to a person who is already signed in. */
function SpentLink() {
  const words = useWords()
  const me = useMe()
  const signedIn = me.data !== undefined
  return (
    <>
      <p className="mb-5 text-soft">
        {words.link.invalid} {!signedIn && words.link.invalidNext}
      </p>
      <RouterLink to={signedIn ? '/' : '/sign-in'} className={`${buttonClass('primary')} w-full`}>
        {signedIn ? words.toStart : words.link.toSignIn}
      </RouterLink>
    </>
  )
}

function Use({ token, link, another }: { token: string; link: SignInLink; another: boolean }) {
  const words = useWords()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    const password = String(new FormData(event.currentTarget).get('password'))
    setBusy(true)
    try {
      await post('/links/use', {
        token,
        ...(password === '' ? {} : { password }),
        ...(another ? { another: true } : {}),
      })
      await client.resetQueries({ queryKey: ['me'] })
      navigate('/', { replace: true })
    } catch (caught) {
      setError(caught)
      setBusy(false)
    }
  }
  const problem = useProblemOf(error, 'password_not_taken')
  const passwordHint = words.link.passwordHint(link.password_length_min)
  return (
    <Form onSubmit={submit}>
      <p className="mb-4">
        {words.link.as} <strong>{link.email}</strong>
      </p>
      <input type="email" name="email" value={link.email} autoComplete="username" readOnly hidden />
      <ErrorNote error={error} atField={['password_not_taken']} />
      <NewPasswordField
        label={words.link.password}
        hint={link.needs_password || another ? passwordHint : `${passwordHint} ${words.link.optional}`}
        required={link.needs_password || another}
        problem={problem}
      />
      <Button type="submit" tone="primary" busy={busy} className="w-full">
        {words.link.go}
      </Button>
      <ProviderButton next="/" label={words.signIn.provider} />
    </Form>
  )
}

function Accept({ token, link }: { token: string; link: SignInLink }) {
  const words = useWords()
  const client = useQueryClient()
  const navigate = useNavigate()
  const me = useMe()
  const [error, setError] = useState<unknown>(null)
  const accept = async () => {
    try {
      const { tenant_id } = await post('/links/accept', { token })
      await client.resetQueries({ queryKey: ['me'] })
      navigate(`/${tenant_id}/test`, { replace: true })
    } catch (caught) {
      setError(caught)
    }
  }
  if (me.data?.email === link.email) {
    return (
      <>
        <ErrorNote error={error} />
        <Button tone="primary" className="w-full" onClick={accept}>
          {words.link.accept}
        </Button>
      </>
    )
  }
  return (
    <>
      <p className="mb-5 text-soft">{words.link.signInFirst(link.email)}</p>
      <SignInForm email={link.email} onDone={() => me.refetch()} leaving={{ next: `/link#${token}` }} />
    </>
  )
}
