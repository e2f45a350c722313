// Signs in through the operator's OpenID provider, and returns to the page where it started.

import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Navigate } from 'react-router'
import type { SignInWays } from '../../../../wire/staff.ts'
import { ApiError, get, post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { Button, ErrorNote } from '../../ui/parts.tsx'

export interface Leaving {
  /** The page to return to: a path of our own. */
  next: string
  /** The signed-in person authenticates again. */
  again?: boolean
}

const KEPT = 'vidimus-next'

export function useSignInMethods(): SignInWays | undefined {
  const methods = useQuery({
    queryKey: ['ways'],
    queryFn: () => get('/sign-in/ways'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return methods.data
}

export function ProviderButton({ label, ...leaving }: Leaving & { label(name: string): string }) {
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const oidc = useSignInMethods()?.oidc ?? null
  if (oidc === null) return null
  const leave = async () => {
    setBusy(true)
    setError(null)
    try {
      const { url } = await post(leaving.again === true ? '/sign-in/oidc/again' : '/sign-in/oidc', {})
      sessionStorage.setItem(KEPT, leaving.next)
      location.assign(url)
    } catch (caught) {
      setError(caught)
      setBusy(false)
    }
  }
  return (
    <>
      <ErrorNote error={error} />
      <Button onClick={leave} busy={busy} className="mt-3 w-full">
        {label(oidc.name)}
      </Button>
    </>
  )
}

/** Accepts only our own paths, so that a link cannot redirect elsewhere. */
export function ownPath(text: unknown): string {
  return typeof text === 'string' && text.startsWith('/') && !text.startsWith('//') ? text : '/'
}

export const keptNext = (): string => ownPath(sessionStorage.getItem(KEPT))

/** Called after use, because the fragment may contain a one-time link that is valid for another day. */
export const forgetNext = (): void => sessionStorage.removeItem(KEPT)

/** The page after a successful return from the provider. */
export function SignedInPage() {
  const [next] = useState(keptNext)
  useEffect(forgetNext, [])
  return <Navigate to={next} replace />
}

/**
 * Returns the refusal in the address after the provider's return. Only known codes are shown, so that an attacker
 * cannot put text on our page.
 */
export function useRefusal(search: string): ApiError | null {
  const { codes } = useWords().errors
  const parameters = new URLSearchParams(search)
  const code = parameters.get('refused') ?? ''
  const id = parameters.get('request') ?? ''
  if (!Object.hasOwn(codes, code)) return null
  return new ApiError(403, { code, message: code }, /^req_[0-9A-Za-z]{20}$/.test(id) ? id : null)
}
