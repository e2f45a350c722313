// The page of each address below a company and environment. Pages are loaded on demand.

import type { ComponentType } from 'react'
import { matchPath } from 'react-router'
import { type OnDemand, onDemand } from './on-demand.ts'

type Page = OnDemand<ComponentType>

const START = onDemand<ComponentType>(async () => (await import('./pages/dashboard/start.tsx')).StartPage)

export const PAGES: readonly (readonly [path: string, page: Page])[] = [
  ['', START],
  ['verifications', onDemand(async () => (await import('./pages/verifications/verifications.tsx')).VerificationsPage)],
  [
    'verifications/:id',
    onDemand(async () => (await import('./pages/verifications/verification.tsx')).VerificationPage),
  ],
  ['links', onDemand(async () => (await import('./pages/links/links.tsx')).LinksPage)],
  ['templates', onDemand(async () => (await import('./pages/templates/templates.tsx')).TemplatesPage)],
  ['devices', onDemand(async () => (await import('./pages/devices/devices.tsx')).DevicesPage)],
  ['keys', onDemand(async () => (await import('./pages/tenants/keys.tsx')).KeysPage)],
  ['clients', onDemand(async () => (await import('./pages/oidc/clients.tsx')).ClientsPage)],
  ['webhooks', onDemand(async () => (await import('./pages/webhooks/webhooks.tsx')).WebhooksPage)],
  ['webhooks/:id', onDemand(async () => (await import('./pages/webhooks/webhook-delivery.tsx')).WebhookDeliveryPage)],
  ['usage', onDemand(async () => (await import('./pages/dashboard/usage.tsx')).UsagePage)],
  ['audit', onDemand(async () => (await import('./pages/audit/audit.tsx')).AuditPage)],
  ['proof', onDemand(async () => (await import('./pages/audit/proof.tsx')).ProofPage)],
  ['trust', onDemand(async () => (await import('./pages/trust/trust.tsx')).TrustPage)],
  ['registration', onDemand(async () => (await import('./pages/registration/registration.tsx')).RegistrationPage)],
  ['going-live', onDemand(async () => (await import('./pages/registration/going-live.tsx')).GoingLivePage)],
  ['branding', onDemand(async () => (await import('./pages/pages/branding.tsx')).BrandingPage)],
  ['settings', onDemand(async () => (await import('./pages/tenants/settings.tsx')).SettingsPage)],
  ['team', onDemand(async () => (await import('./pages/staff/team.tsx')).TeamPage)],
  ['account', onDemand(async () => (await import('./pages/staff/account.tsx')).AccountPage)],
]

/** Returns null if there is no such page. An address without a company leads to the person's first page. */
export function pageAt(pathname: string): Page | null {
  if (pathname === '/') return START
  const found = PAGES.find(([path]) => matchPath(`/:tenant/:environment/${path}`, pathname) !== null)
  return found?.[1] ?? null
}
