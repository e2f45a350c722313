// Presets for products that sign people in through us: redirect URI, defaults, and the values to enter there.

import type { OidcClient } from '../../../../wire/oidc-clients.ts'

export const PRESET_NAMES = ['keycloak', 'auth0', 'wordpress', 'nextcloud', 'generic'] as const
export type PresetName = (typeof PRESET_NAMES)[number]

/** The values of a new client that the merchant enters in the product. */
export interface Registered {
  readonly issuer: string
  readonly client: OidcClient
  /** null: the client authenticates without a secret. */
  readonly secret: string | null
}

type PresetField = readonly [label: string, value: string, how?: 'choose']

interface Preset {
  readonly product: string
  /** Example of the product's address; null: the merchant types the redirect URI. */
  readonly example: string | null
  redirectOf(address: string): string
  /** The product stores an account per `sub`, so a person needs the same `sub` at every sign-in. */
  readonly storesAccounts: boolean
  /** The product reads claims from the ID token and never calls userinfo. */
  readonly readsIdToken: boolean
  /** Labels are the product's own. `choose`: the value is selected there, not pasted. */
  fields(registered: Registered): readonly PresetField[]
  /** For products that are set up by a file or a command. */
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

/** Removes trailing slashes, because `redirectOf` adds its own. */
export const trimmed = (address: string) => address.trim().replace(/\/+$/, '')
