// Finds combinations of environment variables that are incomplete, or not allowed in production.

import type { Cidr } from '../cidr.ts'
import { HOW_TO_MAKE_ONE } from '../seal/master-key.ts'
import { type KeyValues, vaultLogins } from './key-variables.ts'
import { ISSUER_SHAPE } from './variable-readers.ts'

export interface ConfigProblem {
  readonly variable: string
  readonly problem: string
}

export const unreadWarning = (variable: string) => `${variable} is set, and nothing reads it`

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(({ variable, problem }) => `${variable}: ${problem}`).join('\n'))
    this.problems = problems
  }
}

interface ProductionValues {
  readonly DATABASE_URL: string | null
  readonly VIDIMUS_MASTER_KEY: Uint8Array | null
  readonly VIDIMUS_MASTER_KEY_WRAPPED: readonly unknown[]
  readonly VIDIMUS_BASE_URL: string | null
  readonly VIDIMUS_EGRESS_ALLOW: readonly Cidr[]
  readonly VIDIMUS_EGRESS_ALLOW_IN_PRODUCTION: string | null
  readonly VIDIMUS_OIDC_ISSUER: string | null
}

export function productionProblems(values: ProductionValues, known: readonly ConfigProblem[]): ConfigProblem[] {
  const found: Partial<Record<keyof ProductionValues, string>> = {}
  const hasKey = values.VIDIMUS_MASTER_KEY !== null || values.VIDIMUS_MASTER_KEY_WRAPPED.length > 0
  if (values.DATABASE_URL !== null && !hasKey)
    found.VIDIMUS_MASTER_KEY = `required in production with DATABASE_URL: 32 random bytes; ${HOW_TO_MAKE_ONE}`
  if (!values.VIDIMUS_BASE_URL?.startsWith('https://'))
    found.VIDIMUS_BASE_URL =
      'in production the public https address that wallets and merchants reach, like https://verify.example.com'
  if (values.VIDIMUS_EGRESS_ALLOW.length > 0 && values.VIDIMUS_EGRESS_ALLOW_IN_PRODUCTION !== 'yes')
    found.VIDIMUS_EGRESS_ALLOW =
      'not in production: outbound requests could reach internal addresses; to allow that, set VIDIMUS_EGRESS_ALLOW_IN_PRODUCTION=yes'
  const issuer = values.VIDIMUS_OIDC_ISSUER
  if (issuer !== null && new URL(issuer).protocol !== 'https:') found.VIDIMUS_OIDC_ISSUER = ISSUER_SHAPE
  return unlessKnown(found, known)
}

const OIDC_VARIABLES = ['VIDIMUS_OIDC_ISSUER', 'VIDIMUS_OIDC_CLIENT_ID', 'VIDIMUS_OIDC_CLIENT_SECRET'] as const

type OidcValues = Readonly<Record<(typeof OIDC_VARIABLES)[number], string | null>>

/** Either all variables of the provider are set, or none. */
export function oidcProblems(values: OidcValues, known: readonly ConfigProblem[]): ConfigProblem[] {
  return allOrNone(OIDC_VARIABLES, values, known)
}

const MAIL_VARIABLES = ['VIDIMUS_SMTP_URL', 'VIDIMUS_MAIL_FROM'] as const

/** A sender without a server, or a server without a sender, cannot send mail. */
export function mailProblems(
  values: Readonly<Record<(typeof MAIL_VARIABLES)[number], unknown>>,
  known: readonly ConfigProblem[],
): ConfigProblem[] {
  return allOrNone(MAIL_VARIABLES, values, known)
}

const PKCS11_VARIABLES = ['VIDIMUS_PKCS11_MODULE', 'VIDIMUS_PKCS11_PIN_FILE'] as const
const APPROLE_VARIABLES = ['VIDIMUS_VAULT_ROLE_ID', 'VIDIMUS_VAULT_SECRET_ID_FILE'] as const

/** A plain master key next to a wrapped one would make the wrapping worthless. */
export function keyProblems(
  values: KeyValues & { readonly VIDIMUS_MASTER_KEY: Uint8Array | null },
  known: readonly ConfigProblem[],
): ConfigProblem[] {
  const found: Record<string, string> = {}
  if (values.VIDIMUS_MASTER_KEY !== null && values.VIDIMUS_MASTER_KEY_WRAPPED.length > 0)
    found.VIDIMUS_MASTER_KEY = 'not together with VIDIMUS_MASTER_KEY_WRAPPED; remove it'
  const logins = vaultLogins(values).length
  if (logins > 0 && values.VIDIMUS_VAULT_URL === null)
    found.VIDIMUS_VAULT_URL = 'required if a sign-in method for Vault is set'
  const halves = allOrNone(APPROLE_VARIABLES, values, known)
  if (values.VIDIMUS_VAULT_URL !== null && logins !== 1 && halves.length === 0)
    found.VIDIMUS_VAULT_URL =
      'needs one sign-in method: VIDIMUS_VAULT_TOKEN_FILE, VIDIMUS_VAULT_ROLE_ID with VIDIMUS_VAULT_SECRET_ID_FILE, or VIDIMUS_VAULT_KUBERNETES_ROLE'
  return [...unlessKnown(found, known), ...allOrNone(PKCS11_VARIABLES, values, known), ...halves]
}

function allOrNone<N extends string>(
  variables: readonly N[],
  values: Readonly<Record<N, unknown>>,
  known: readonly ConfigProblem[],
): ConfigProblem[] {
  const missing = variables.filter((variable) => values[variable] === null)
  const isNamed = missing.length < variables.length || known.some(({ variable }) => variable === variables[0])
  if (!isNamed) return []
  const problem = `required if another of ${variables.join(', ')} is set`
  return unlessKnown(Object.fromEntries(missing.map((variable) => [variable, problem])), known)
}

/** Reports each variable once: leaves out variables that already have a problem. */
function unlessKnown(found: Readonly<Record<string, string>>, known: readonly ConfigProblem[]): ConfigProblem[] {
  return Object.entries(found)
    .filter(([name]) => !known.some(({ variable }) => variable === name))
    .map(([variable, problem]) => ({ variable, problem }))
}
