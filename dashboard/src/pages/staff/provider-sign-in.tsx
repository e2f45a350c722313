// Signing in through the operator's OpenID provider: the browser leaves, and comes back to where it was.

import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Navigate } from 'react-router'
import type { SignInWays } from '../../../../wire/staff.ts'
import { ApiError, get, post } from '../../api.ts'
import { useWords } from '../../preferences.tsx'
import { Button, ErrorNote } from '../../ui/parts.tsx'

export interface Leaving {
  /** The page to come back to: a path of our own. */
  next: string
  /** The signed-in person proves once more who they are. */
  again?: boolean
}

const KEPT = 'vidimus-next'

export function useSignInWays(): SignInWays | undefined {
  const ways = useQuery({
    queryKey: ['ways'],
    queryFn: () => get('/sign-in/ways'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return ways.data
}

export function ProviderButton({ label, ...leaving }: Leaving & { label(name: string): string }) {
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const oidc = useSignInWays()?.oidc ?? null
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

/** Only a path of our own: nobody is led elsewhere. */
export function ownPath(text: unknown): string {
  return typeof text === 'string' && text.startsWith('/') && !text.startsWith('//') ? text : '/'
}

export const keptNext = (): string => ownPath(sessionStorage.getItem(KEPT))

/** Once it was used: behind its # it may hold a link that is good for one more day. */
export const forgetNext = (): void => sessionStorage.removeItem(KEPT)

/** Back from the provider, and in. */
export function SignedInPage() {
  const [next] = useState(keptNext)
  useEffect(forgetNext, [])
  return <Navigate to={next} replace />
}

/**
 * Back from the provider, and turned away: the service says why in the address. Words of our own alone: whoever makes up an
 * address must not put theirs on our page.
 */
export function useRefusal(search: string): ApiError | null {
  const { codes } = useWords().errors
  const said = new URLSearchParams(search)
  const code = said.get('refused') ?? ''
  const id = said.get('request') ?? ''
  if (!Object.hasOwn(codes, code)) return null
  return new ApiError(403, { code, message: code }, /^req_[0-9A-Za-z]{20}$/.test(id) ? id : null)
}
