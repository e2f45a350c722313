// The result of preparing a plan of the conformance suite.

export interface SuiteAddress {
  /** The origin, such as `https://localhost.emobix.co.uk:8443`. */
  readonly origin: string
  /** The name of the run, which is part of the suite's addresses. */
  readonly alias: string
}

export interface Prepared {
  readonly suiteName: string
  readonly variant: Readonly<Record<string, string>>
  readonly tenantId: string
  /** What to paste into the suite, including secrets and private keys. */
  readonly configuration: Readonly<Record<string, unknown>>
  /** How to create a verification for each module; null for plans of the OpenID provider. */
  readonly verification: { readonly apiKey: string; readonly body: object } | null
}

/** Verifications per day. A plan has some dozens of modules, and sign-ins in test may use a quarter of the quota. */
export const QUOTA = 10_000

/** An alias is part of addresses, so its characters are restricted. */
export const isAlias = (text: string) => /^[a-z0-9][a-z0-9-]{0,49}$/.test(text)

/** null if it is not an https origin. */
export function originOf(text: string): string | null {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.username === '' && url.pathname === '/' ? url.origin : null
}
