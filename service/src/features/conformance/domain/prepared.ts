// What is prepared for a plan of the conformance suite.

export interface SuiteAddress {
  /** Without a path: `https://localhost.emobix.co.uk:8443`. */
  readonly origin: string
  /** The name of the run at the suite, part of its addresses. */
  readonly alias: string
}

export interface Prepared {
  readonly suiteName: string
  readonly variant: Readonly<Record<string, string>>
  readonly tenantId: string
  /** What is pasted into the suite, secrets and private keys included. */
  readonly configuration: Readonly<Record<string, unknown>>
  /** How a verification for each module is created; null for plans of the provider. */
  readonly verification: { readonly apiKey: string; readonly body: object } | null
}

/** Verifications a day: a plan has some dozens of modules, and sign-ins in test may take a quarter of it. */
export const QUOTA = 10_000

/** It becomes part of addresses. */
export const isAlias = (text: string) => /^[a-z0-9][a-z0-9-]{0,49}$/.test(text)

/** null if it is not an https origin. */
export function originOf(text: string): string | null {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.username === '' && url.pathname === '/' ? url.origin : null
}
