// The dashboard: which address shows which page. Pages are loaded when somebody goes there.

import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter, Navigate, Route, Routes, useLocation } from 'react-router'
import { ApiError } from './api.ts'
import './app.css'
import { LinkPage, SignInPage } from './pages/sign-in/door.tsx'
import { SignedInPage } from './pages/sign-in/provider-sign-in.tsx'
import { PreferencesProvider, useWords } from './preferences.tsx'
import { useMe } from './session.tsx'
import { NothingHere, Shell } from './shell.tsx'
import { Empty, ErrorNote, Skeleton } from './ui/parts.tsx'

const StartPage = lazy(async () => ({ default: (await import('./pages/start.tsx')).StartPage }))
const VerificationsPage = lazy(async () => ({
  default: (await import('./pages/verifications/verifications.tsx')).VerificationsPage,
}))
const VerificationPage = lazy(async () => ({
  default: (await import('./pages/verifications/verification.tsx')).VerificationPage,
}))
const TemplatesPage = lazy(async () => ({ default: (await import('./pages/templates.tsx')).TemplatesPage }))
const DevicesPage = lazy(async () => ({ default: (await import('./pages/devices.tsx')).DevicesPage }))
const KeysPage = lazy(async () => ({ default: (await import('./pages/keys.tsx')).KeysPage }))
const ClientsPage = lazy(async () => ({ default: (await import('./pages/clients.tsx')).ClientsPage }))
const WebhooksPage = lazy(async () => ({ default: (await import('./pages/webhooks/webhooks.tsx')).WebhooksPage }))
const WebhookDeliveryPage = lazy(async () => ({
  default: (await import('./pages/webhooks/webhook-delivery.tsx')).WebhookDeliveryPage,
}))
const UsagePage = lazy(async () => ({ default: (await import('./pages/overview/usage.tsx')).UsagePage }))
const AuditPage = lazy(async () => ({ default: (await import('./pages/audit/audit.tsx')).AuditPage }))
const ProofPage = lazy(async () => ({ default: (await import('./pages/audit/proof.tsx')).ProofPage }))
const TrustPage = lazy(async () => ({ default: (await import('./pages/trust.tsx')).TrustPage }))
const RegistrationPage = lazy(async () => ({
  default: (await import('./pages/registration/registration.tsx')).RegistrationPage,
}))
const GoingLivePage = lazy(async () => ({
  default: (await import('./pages/registration/going-live.tsx')).GoingLivePage,
}))
const BrandingPage = lazy(async () => ({ default: (await import('./pages/branding.tsx')).BrandingPage }))
const SettingsPage = lazy(async () => ({ default: (await import('./pages/settings.tsx')).SettingsPage }))
const TeamPage = lazy(async () => ({ default: (await import('./pages/team.tsx')).TeamPage }))
const AccountPage = lazy(async () => ({ default: (await import('./pages/sign-in/account.tsx')).AccountPage }))

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // Whoever is signed out meanwhile is led to the door, wherever they are.
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

/** Signed in, or to the door and back. */
function Inside() {
  const me = useMe()
  const location = useLocation()
  const words = useWords()
  if (me.error instanceof ApiError && me.error.status === 401) {
    return <Navigate to="/sign-in" replace state={{ next: location.pathname + location.search }} />
  }
  if (me.error !== null) {
    return (
      <main className="mx-auto max-w-xl p-8">
        <ErrorNote error={me.error} again={() => me.refetch()} />
      </main>
    )
  }
  if (me.data === undefined) return <Skeleton />
  if (location.pathname !== '/') return <Shells />
  const [first] = me.data.tenants
  if (first !== undefined) return <Navigate to={`/${first.id}/test`} replace />
  return (
    <main className="mx-auto max-w-xl p-8">
      <Empty title={words.noTenant} />
    </main>
  )
}

function Shells() {
  return (
    <Routes>
      <Route path="/:tenant/:environment" element={<Shell />}>
        <Route index element={<StartPage />} />
        <Route path="verifications" element={<VerificationsPage />} />
        <Route path="verifications/:id" element={<VerificationPage />} />
        <Route path="templates" element={<TemplatesPage />} />
        <Route path="devices" element={<DevicesPage />} />
        <Route path="keys" element={<KeysPage />} />
        <Route path="clients" element={<ClientsPage />} />
        <Route path="webhooks" element={<WebhooksPage />} />
        <Route path="webhooks/:id" element={<WebhookDeliveryPage />} />
        <Route path="usage" element={<UsagePage />} />
        <Route path="audit" element={<AuditPage />} />
        <Route path="proof" element={<ProofPage />} />
        <Route path="trust" element={<TrustPage />} />
        <Route path="registration" element={<RegistrationPage />} />
        <Route path="going-live" element={<GoingLivePage />} />
        <Route path="branding" element={<BrandingPage />} />
        <Route path="settings" element={<SettingsPage />} />
        <Route path="team" element={<TeamPage />} />
        <Route path="account" element={<AccountPage />} />
      </Route>
      <Route path="*" element={<NothingHere />} />
    </Routes>
  )
}

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
              <Route path="*" element={<Inside />} />
            </Routes>
          </BrowserRouter>
        </PreferencesProvider>
      </Suspense>
    </QueryClientProvider>
  </StrictMode>,
)
