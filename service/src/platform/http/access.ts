// Who may call a route.

/** What a route requires of its caller. The OpenAPI document and the tests' route tables are generated from it. */
export type Access =
  | { readonly kind: 'key'; readonly scope: string }
  | { readonly kind: 'public' }
  | { readonly kind: 'wallet' }
  /** A page that calls from a browser: from one origin only. */
  | { readonly kind: 'asking_page' }
  /** An OpenID client, by its own secret; or the holder of a token that was issued to it. */
  | { readonly kind: 'oidc_client' }
  | { readonly kind: 'operator' }
  | { readonly kind: 'dashboard'; readonly permission: object | null }
