// Who may ask a route.

/** What a route demands of its caller; the OpenAPI document and the route tables of the tests are made from it. */
export type Access =
  | { readonly kind: 'key'; readonly scope: string }
  | { readonly kind: 'public' }
  | { readonly kind: 'wallet' }
  /** A page that asks through its browser: of one origin alone. */
  | { readonly kind: 'asking_page' }
  /** An OpenID client, by its own secret; or whoever it gave its token to. */
  | { readonly kind: 'oidc_client' }
  | { readonly kind: 'operator' }
  | { readonly kind: 'dashboard'; readonly permission: object | null }
