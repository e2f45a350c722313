// The dashboard: sign-in, and the pages of the signed-in person.

import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ComponentType, StrictMode, Suspense, useEffect, useMemo, useRef } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter, Navigate, Route, Routes, useLocation } from 'react-router'
import { ApiError } from './api.ts'
import './app.css'
import { type OnDemand, useLoaded } from './on-demand.ts'
import { PAGES, pageAt } from './page-table.ts'
import { LostAccessPage } from './pages/staff/lost-access.tsx'
import { SignedInPage } from './pages/staff/provider-sign-in.tsx'
import { SessionEnded } from './pages/staff/session-ended.tsx'
import { LinkPage, SignInPage } from './pages/staff/sign-in-page.tsx'
import { firstWords, PreferencesProvider, useWords } from './preferences.tsx'
import { useMe } from './session.tsx'
import { NothingHere, Shell } from './shell.tsx'
import { Empty, ErrorNote, Skeleton } from './ui/parts.tsx'
import { hasUnsavedWork } from './ui/unsaved.tsx'

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // After the session has ended, `me` fails and the page asks the person to sign in again.
    onError: (error, query) => {
      if (error instanceof ApiError && error.status === 401 && query.queryKey[0] !== 'me') {
        void client.invalidateQueries({ queryKey: ['me'] })
      }
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
})

/** The pages of a signed-in person; redirects others to the sign-in page and back. */
function Inside() {
  const me = useMe()
  const location = useLocation()
  const words = useWords()
  // Starts to load the page while `/me` is loading.
  useEffect(() => void pageAt(location.pathname)?.start(), [location.pathname])
  const isOut = me.error instanceof ApiError && me.error.status === 401
  // Unsaved input stays on the page, hidden, until the person has signed in again. Everything else is removed.
  const isKept = useMemo(() => isOut && hasUnsavedWork(), [isOut])
  useForgettingOthers(me.data?.id)
  if (isOut && !isKept) return <Navigate to="/sign-in" replace state={{ next: location.pathname + location.search }} />
  if (me.data === undefined) {
    if (me.error === null) return <Skeleton />
    return (
      <main className="mx-auto max-w-xl p-8">
        <ErrorNote error={me.error} again={() => me.refetch()} />
      </main>
    )
  }
  if (location.pathname !== '/') {
    return (
      <>
        <div hidden={isOut}>
          <Shells key={me.data.id} />
        </div>
        {isOut && <SessionEnded me={me.data} />}
      </>
    )
  }
  const [first] = me.data.tenants
  if (first !== undefined) return <Navigate to={`/${first.id}/test`} replace />
  return (
    <main className="mx-auto max-w-xl p-8">
      <Empty title={words.noTenant} />
    </main>
  )
}

/** Clears cached answers when another person signs in, perhaps in another tab. */
function useForgettingOthers(id: string | undefined): void {
  const before = useRef(id)
  useEffect(() => {
    if (id === undefined) return
    if (before.current !== undefined && before.current !== id)
      void client.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' })
    before.current = id
  }, [id])
}

function Shells() {
  return (
    <Routes>
      <Route path="/:tenant/:environment" element={<Shell />}>
        {PAGES.map(([path, page]) => (
          <Route key={path} {...(path === '' ? { index: true } : { path })} element={<Loaded page={page} />} />
        ))}
      </Route>
      <Route path="*" element={<NothingHere />} />
    </Routes>
  )
}

function Loaded({ page }: { page: OnDemand<ComponentType> }) {
  const Page = useLoaded(page)
  return <Page />
}

// Nothing can be rendered before the words are loaded.
await firstWords()
const root = document.getElementById('root')
if (root === null) throw new Error('bug: the page has no root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Suspense>
        <PreferencesProvider>
          <BrowserRouter basename="/dashboard">
            <Routes>
              <Route path="/sign-in" element={<SignInPage />} />
              <Route path="/signed-in" element={<SignedInPage />} />
              <Route path="/link" element={<LinkPage />} />
              <Route path="/lost-access" element={<LostAccessPage />} />
              <Route path="*" element={<Inside />} />
            </Routes>
          </BrowserRouter>
        </PreferencesProvider>
      </Suspense>
    </QueryClientProvider>
  </StrictMode>,
)
