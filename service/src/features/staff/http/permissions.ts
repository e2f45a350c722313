// The permissions of the dashboard's routes. Routes are added from this table, and tests check all of it.

import type { DashboardRoute } from '../../../../../wire/dashboard.ts'
import type { Role } from '../domain/person.ts'

export interface Permission {
  /** `anyone`: no sign-in. `person`: signed in, whatever the tenant. Otherwise: at least this role at the tenant in the path. */
  readonly role: 'anyone' | 'person' | Role
  /** Requires a recent sign-in; `live`: in live only. */
  readonly fresh?: 'always' | 'live'
}

const anyone: Permission = { role: 'anyone' }
const person: Permission = { role: 'person' }
const freshPerson: Permission = { role: 'person', fresh: 'always' }
const viewer: Permission = { role: 'viewer' }
const admin: Permission = { role: 'admin' }
const freshAdmin: Permission = { role: 'admin', fresh: 'always' }
const adminFreshInLive: Permission = { role: 'admin', fresh: 'live' }
const owner: Permission = { role: 'owner', fresh: 'always' }

const ROOT = '/dashboard/api'
/** `@` stands for a tenant and one of its environments. Every route of a tenant names both. */
const REALM = '/tenants/:tenant/:environment'

export const PERMISSIONS = {
  'POST /sign-in/password': anyone,
  'POST /sign-in/passkey/options': anyone,
  'POST /sign-in/passkey': anyone,
  'GET /sign-in/ways': anyone,
  'POST /sign-in/oidc': anyone,
  'GET /sign-in/oidc/callback': anyone,
  'POST /sign-in/lost-access': anyone,
  'POST /sign-in/lost-access/use': anyone,
  'POST /links/look': anyone,
  'POST /links/use': anyone,

  'GET /me': person,
  'POST /sign-out': person,
  'POST /sign-in/oidc/again': person,
  'POST /links/accept': person,
  'POST /me/password': freshPerson,
  'POST /me/passkeys/options': freshPerson,
  'POST /me/passkeys': freshPerson,
  'POST /me/passkeys/remove': freshPerson,
  'POST /me/sessions/end-others': person,

  'GET @/overview': viewer,
  'GET @/figures': viewer,
  'GET @/verifications': viewer,
  'GET @/verifications/export': admin,
  'GET @/verifications/:id': viewer,
  'GET @/verifications/:id/request': viewer,
  // A receipt contains no values, and outlives its verification.
  'GET @/verifications/:id/receipt': viewer,
  'GET @/verifications/:id/certificate': viewer,
  'POST @/verifications/:id/forget': freshAdmin,
  // This asks real holders in the merchant's name.
  'POST @/verifications': adminFreshInLive,
  'POST @/verifications/:id/cancel': admin,
  'POST @/verifications/:id/erase': freshAdmin,
  'GET @/links': viewer,
  'POST @/links': adminFreshInLive,
  'POST @/links/:id/replace': adminFreshInLive,
  'POST @/links/:id/revoke': admin,
  'GET @/keys': viewer,
  'POST @/keys': adminFreshInLive,
  'POST @/keys/:id/revoke': admin,
  'POST @/keys/:id/roll': adminFreshInLive,
  'GET @/templates': viewer,
  'POST @/templates/preview': viewer,
  'POST @/templates/:key': admin,
  'POST @/templates/:key/remove': admin,
  'GET @/devices': viewer,
  'POST @/devices': adminFreshInLive,
  'POST @/devices/:id': adminFreshInLive,
  'POST @/devices/:id/code': adminFreshInLive,
  'POST @/devices/:id/revoke': admin,
  'GET @/webhooks': viewer,
  'GET @/deliveries': viewer,
  'GET @/deliveries/:id': viewer,
  'POST @/deliveries/:id/resend': admin,
  'POST @/deliveries/resend-failed': admin,
  // This address receives the results.
  'POST @/webhooks/endpoints': freshAdmin,
  'POST @/webhooks/endpoints/:id': freshAdmin,
  'POST @/webhooks/endpoints/:id/remove': freshAdmin,
  'POST @/webhooks/endpoints/:id/test': admin,
  'POST @/webhooks/secret/show': freshAdmin,
  'POST @/webhooks/secret/rotate': freshAdmin,
  'POST @/webhooks/secret/end-old': freshAdmin,
  'POST @/webhooks/destinations/enable': admin,
  'GET @/usage': viewer,
  'GET @/usage/alerts': viewer,
  'GET @/alerts/mail': viewer,
  'POST @/alerts/mail': viewer,
  'POST @/usage/alerts': admin,
  'GET @/audit': viewer,
  'GET @/log': viewer,
  'POST @/audit/verify': admin,
  'GET @/audit/export': admin,
  'GET @/trust': viewer,
  // These decide which credentials are trusted, and in whose name wallets are asked.
  'POST @/trust/anchors': owner,
  'POST @/trust/anchors/:id/remove': owner,
  'POST @/trust/lists': owner,
  'POST @/trust/lists/:id/remove': owner,
  'POST @/trust/certificates/request': owner,
  'POST @/trust/certificates/install': owner,
  'POST @/trust/certificates/:id/withdraw': owner,
  'GET @/settings': viewer,
  // A short retention erases data, and a lenient policy accepts more. So settings require as much as erasing does.
  'POST @/settings': freshAdmin,
  'GET @/origins': viewer,
  'POST @/origins': freshAdmin,
  'POST @/origins/:id/prove': freshAdmin,
  'POST @/origins/:id/remove': freshAdmin,
  'GET @/result-keys': viewer,
  'POST @/result-keys': freshAdmin,
  'POST @/result-keys/:id/challenge': freshAdmin,
  'POST @/result-keys/:id/prove': freshAdmin,
  'POST @/result-keys/:id/remove': freshAdmin,
  'GET @/registration': viewer,
  'GET @/registration/certificates/:id': viewer,
  'POST @/registration/identity': freshAdmin,
  'POST @/registration/certificates': freshAdmin,
  'POST @/registration/certificates/:id/remove': freshAdmin,
  'GET @/going-live': viewer,
  'POST @/going-live/mandate': freshAdmin,
  'POST @/going-live/requests': admin,
  // The redirect address receives the responses.
  'GET @/clients': viewer,
  'POST @/clients': freshAdmin,
  'POST @/clients/:id': freshAdmin,
  'POST @/clients/:id/secret': freshAdmin,
  'POST @/clients/:id/remove': freshAdmin,
  'GET @/branding': viewer,
  // The page asks people for their data under this name.
  'POST @/branding': freshAdmin,
  'POST @/branding/preview': viewer,
  'GET @/team': viewer,
  'POST @/team/invite': owner,
  'POST @/team/invitations/withdraw': owner,
  'POST @/team/invitations/again': owner,
  'POST @/team/:id/role': owner,
  'POST @/team/:id/remove': owner,
} as const satisfies Record<DashboardRoute | OtherRoute, Permission>

/** Routes that respond with a file or a redirect. */
type OtherRoute = 'GET @/verifications/export' | 'GET @/audit/export' | 'GET /sign-in/oidc/callback'
export type PermittedRoute = DashboardRoute | OtherRoute

export function addressOf(route: PermittedRoute): { readonly method: 'GET' | 'POST'; readonly url: string } {
  const [method = '', path = ''] = route.split(' ')
  return { method: method === 'GET' ? 'GET' : 'POST', url: `${ROOT}${path.replace('@', REALM)}` }
}
