// Products that sign people in through us: where their answers go, what suits them, and what is entered in them. What a field
// is called is the product's own name for it.

import type { OidcClient } from '../../../../wire/oidc-clients.ts'

export const PRESET_NAMES = ['keycloak', 'auth0', 'wordpress', 'nextcloud', 'generic'] as const
export type PresetName = (typeof PRESET_NAMES)[number]

/** What a new client has, to be entered in the product. */
export interface Registered {
  readonly issuer: string
  readonly client: OidcClient
  /** null: it authenticates without one. */
  readonly secret: string | null
}

type PresetField = readonly [label: string, value: string, how?: 'choose']

interface Preset {
  readonly product: string
  /** How an address of the product looks; null: the redirect URI is written by hand. */
  readonly example: string | null
  redirectOf(address: string): string
  /** True: it stores an account for each `sub`, so the same person needs the same one. */
  readonly storesAccounts: boolean
  /** True: it takes the claims out of the ID token and never asks userinfo. */
  readonly readsIdToken: boolean
  /** By the names of its fields; `choose`: it is chosen there and not pasted. */
  fields(registered: Registered): readonly PresetField[]
  /** For what is set up by a file or a command. */
  snippet?(registered: Registered): string
}

export const scopeOf = ({ client }: Pick<Registered, 'client'>) =>
  client.default_template === null ? 'openid' : `openid vidimus:${client.default_template}`

const discoveryOf = ({ issuer }: Registered) => `${issuer}/.well-known/openid-configuration`
const redirectsOf = ({ client }: Registered) => client.redirect_uris.join('\n')
const secretOf = ({ secret }: Registered, label: string): readonly PresetField[] =>
  secret === null ? [] : [[label, secret]]
const HIDDEN = 'vcs_…'

export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  generic: {
    product: 'OpenID Connect',
    example: null,
    redirectOf: (address) => address,
    storesAccounts: false,
    readsIdToken: false,
    fields: (one) => [
      ['Issuer', one.issuer],
      ['Discovery', discoveryOf(one)],
      ['Client ID', one.client.id],
      ...secretOf(one, 'Client secret'),
      ['Scope', scopeOf(one)],
      ['Redirect URI', redirectsOf(one)],
    ],
  },
  keycloak: {
    product: 'Keycloak',
    example: 'https://login.example/realms/shop',
    redirectOf: (address) => `${address}/broker/vidimus/endpoint`,
    storesAccounts: true,
    readsIdToken: false,
    fields: (one) => [
      ['Alias', 'vidimus'],
      ['Discovery endpoint', discoveryOf(one)],
      ['Client authentication', 'Client secret sent as post', 'choose'],
      ['Client ID', one.client.id],
      ...secretOf(one, 'Client Secret'),
      ['Scopes', scopeOf(one)],
      ['Use PKCE', 'On, S256', 'choose'],
    ],
  },
  auth0: {
    product: 'Auth0',
    example: 'https://shop.eu.auth0.com',
    redirectOf: (address) => `${address}/login/callback`,
    storesAccounts: true,
    readsIdToken: true,
    fields: (one) => [
      ['Issuer URL', discoveryOf(one)],
      ['Type', 'Back Channel', 'choose'],
      ['Client ID', one.client.id],
      ...secretOf(one, 'Client Secret'),
      ['Scopes', scopeOf(one)],
    ],
  },
  wordpress: {
    product: 'WordPress',
    example: 'https://shop.example',
    redirectOf: (address) => `${address}/wp-login.php?action=vidimus`,
    storesAccounts: true,
    readsIdToken: false,
    fields: () => [],
    snippet: ({ issuer, client, secret }) =>
      `define('VIDIMUS_ISSUER', '${issuer}');\ndefine('VIDIMUS_CLIENT_ID', '${client.id}');\ndefine('VIDIMUS_CLIENT_SECRET', '${secret ?? HIDDEN}');\ndefine('VIDIMUS_CREATE_USERS', true);`,
  },
  nextcloud: {
    product: 'Nextcloud',
    example: 'https://cloud.example',
    redirectOf: (address) => `${address}/apps/user_oidc/code`,
    storesAccounts: true,
    readsIdToken: false,
    fields: () => [],
    snippet: (one) =>
      `php occ user_oidc:provider vidimus --clientid=${one.client.id} \\\n  --clientsecret=${one.secret ?? HIDDEN} --scope='${scopeOf(one)}' \\\n  --discoveryuri='${discoveryOf(one)}' \\\n  --unique-uid=1 --mapping-uid=sub --mapping-display-name=name`,
  },
}

/** A preset's address without what the pattern adds by itself. */
export const trimmed = (address: string) => address.trim().replace(/\/+$/, '')
