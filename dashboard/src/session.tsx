// The signed-in person, the current company, and actions that may require a recent sign-in.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useCallback, useRef, useState } from 'react'
import type { Environment } from '../../wire/parts.ts'
import type { Me, Role } from '../../wire/staff.ts'
import { ApiError, type GetPath, get, pathOf, type Where } from './api.ts'
import { SignInForm } from './pages/staff/sign-in-form.tsx'
import { useWords } from './preferences.tsx'
import { Dialog } from './ui/dialog.tsx'
import { Button } from './ui/parts.tsx'

export function useMe() {
  return useQuery({ queryKey: ['me'], queryFn: () => get('/me'), retry: false, staleTime: 60_000 })
}

export interface Here {
  me: Me
  tenant: { id: string; name: string; role: Role }
  environment: Environment
  /** Returns the path of a page of this company and environment. */
  page(path: string): string
  /** Replaces `@` and the parameters of a route's path. */
  at(parameters?: Pick<Where, 'id' | 'key' | 'query' | 'find'>): Where
  mayChange: boolean
  isOwner: boolean
}

const HereContext = createContext<Here | null>(null)
export const HereProvider = HereContext.Provider

export function useHere(): Here {
  const here = use(HereContext)
  if (here === null) throw new Error('bug: outside of a company')
  return here
}

/** Returns null if the person has no such company, or there is no such environment. */
export function hereOf(
  me: Me,
  params: { readonly tenant?: string | undefined; readonly environment?: string | undefined },
): Here | null {
  const tenant = me.tenants.find(({ id }) => id === params.tenant)
  const { environment } = params
  if (tenant === undefined || (environment !== 'test' && environment !== 'live')) return null
  return {
    me,
    tenant,
    environment,
    page: (path) => `/${tenant.id}/${environment}${path}`,
    at: (parameters = {}) => ({ tenant: tenant.id, environment, ...parameters }),
    mayChange: tenant.role !== 'viewer',
    isOwner: tenant.role === 'owner',
  }
}

/** Loads an answer of a route for the current company and environment. */
export function useAnswer<P extends GetPath>(
  path: P,
  options: Pick<Where, 'id' | 'key' | 'query' | 'find'> & { everyMs?: number } = {},
) {
  const { everyMs, ...parameters } = options
  const at = useHere().at(parameters)
  const client = useQueryClient()
  const queryKey = ['at', pathOf(path, at), ...(at.find === undefined ? [] : [at.find])]
  /** Whether the answer was loaded before, and no action has changed it since. */
  const isPoll = () => {
    const known = client.getQueryState(queryKey)
    return everyMs !== undefined && known?.data !== undefined && !known.isInvalidated
  }
  return useQuery({
    queryKey,
    queryFn: () => get(path, at, { isPoll: isPoll() }),
    refetchInterval: ({ state }: { state: { error: unknown } }) =>
      everyMs === undefined || isSignedOut(state.error) ? false : everyMs,
  })
}

const isSignedOut = (error: unknown) => error instanceof ApiError && error.status === 401

type Act = <T>(action: () => Promise<T>) => Promise<T>
const ActContext = createContext<Act | null>(null)

/** Runs an action; if it requires a recent sign-in, asks for one first. Afterwards reloads everything on the page. */
export function useAct(): Act {
  const act = use(ActContext)
  if (act === null) throw new Error('bug: outside of ActProvider')
  return act
}

export function ActProvider({ me, children }: { me: Me; children: ReactNode }) {
  const words = useWords()
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const answer = useRef<(signedIn: boolean) => void>(() => undefined)
  const act = useCallback<Act>(
    async (action) => {
      const done = async <T,>(result: T) => {
        await client.invalidateQueries()
        // React shows fetched data with the next timer, so a dialog that closes after it knows which rows are gone.
        await new Promise((resolve) => setTimeout(resolve))
        return result
      }
      try {
        return await done(await action())
      } catch (error) {
        if (isSignedOut(error)) await client.invalidateQueries({ queryKey: ['me'] })
        if (!(error instanceof ApiError) || error.code !== 'fresh_sign_in_required') throw error
        setAsking(true)
        const signedIn = await new Promise<boolean>((resolve) => {
          answer.current = resolve
        })
        setAsking(false)
        if (!signedIn) throw error
        return done(await action())
      }
    },
    [client],
  )
  return (
    <ActContext value={act}>
      {children}
      {asking && (
        <Dialog title={words.signIn.again} onClose={() => answer.current(false)}>
          <p className="mb-4 text-soft">{words.signIn.againWhy}</p>
          <SignInForm
            email={me.email}
            onDone={() => answer.current(true)}
            leaving={{ next: location.pathname.replace(/^\/dashboard/, '') + location.search, again: true }}
          />
          {me.service.oidc !== null && <p className="mt-3 text-sm text-soft">{words.signIn.providerAgain}</p>}
          <Button tone="quiet" className="mt-3 w-full" onClick={() => answer.current(false)}>
            {words.cancel}
          </Button>
        </Dialog>
      )}
    </ActContext>
  )
}
