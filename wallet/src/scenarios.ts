// Defines the test wallet's scenarios: what each changes, and the verdict that must follow.

import type { HeldCredential } from './credential.ts'
import type { IssuerState } from './issuer.ts'
import { createIssuer, issueAll, STATUS_INDEX } from './issuer.ts'
import type { PrivateJwk } from './keys.ts'
import { fromBase64url, generateKey, toBase64url } from './keys.ts'
import type { Binding } from './present.ts'

export interface Scenario {
  readonly title: string
  /** The final state of the verification, and its error code. */
  readonly expected: { readonly status: 'completed' } | { readonly status: 'failed'; readonly code: string }
  readonly credentials: (terms: Terms) => readonly HeldCredential[]
  readonly disclosure: 'as_asked' | 'everything' | 'one_too_few'
  readonly binding: (binding: Binding) => Binding
  readonly spoil: (presented: string, format: HeldCredential['format']) => string
  readonly declines: boolean
}

export interface Terms {
  readonly issuer: IssuerState
  readonly holderKey: PrivateJwk
  readonly now: number
}

const DAY = 86_400

const GOOD: Scenario = {
  title: 'everything as asked',
  expected: { status: 'completed' },
  credentials: ({ issuer, ...terms }) => issueAll(issuer, terms),
  disclosure: 'as_asked',
  binding: (binding) => binding,
  spoil: (presented) => presented,
  declines: false,
}

const failed = (code: string): Scenario['expected'] => ({ status: 'failed', code })

export const SCENARIOS = {
  good: GOOD,
  declined: { ...GOOD, title: 'the holder says no', expected: failed('wallet_declined'), declines: true },
  expired: {
    ...GOOD,
    title: 'the credentials ended yesterday',
    expected: failed('credential_expired'),
    credentials: ({ issuer, ...terms }) =>
      issueAll(issuer, { ...terms, validFrom: terms.now - 20 * DAY, validUntil: terms.now - DAY }),
  },
  revoked: {
    ...GOOD,
    title: 'the status list calls the credentials invalid',
    expected: failed('credential_revoked'),
    credentials: ({ issuer, ...terms }) => issueAll(issuer, { ...terms, statusIndex: STATUS_INDEX.revoked }),
  },
  suspended: {
    ...GOOD,
    title: 'the status list calls the credentials suspended',
    expected: failed('credential_suspended'),
    credentials: ({ issuer, ...terms }) => issueAll(issuer, { ...terms, statusIndex: STATUS_INDEX.suspended }),
  },
  untrusted: {
    ...GOOD,
    title: 'an issuer of the same name that is not installed',
    expected: failed('issuer_untrusted'),
    credentials: ({ issuer, ...terms }) => issueAll(createIssuer({ base: issuer.base, now: terms.now }), terms),
  },
  wrong_nonce: {
    ...GOOD,
    title: 'bound to another nonce',
    expected: failed('holder_binding_invalid'),
    binding: (binding) => ({ ...binding, nonce: otherNonce() }),
  },
  wrong_audience: {
    ...GOOD,
    title: 'bound to another verifier',
    expected: failed('holder_binding_invalid'),
    binding: (binding) => ({ ...binding, clientId: 'x509_san_dns:other-verifier.example' }),
  },
  tampered: {
    ...GOOD,
    title: 'what the holder disclosed was changed after the issuer signed it',
    expected: failed('credential_invalid'),
    spoil: (presented, format) => (format === 'dc+sd-jwt' ? tamperSdJwt(presented) : tamperMdoc(presented)),
  },
  replayed: {
    ...GOOD,
    title: 'made for an earlier request of the same verifier, sent again',
    expected: failed('holder_binding_invalid'),
    binding: (binding) => ({ ...binding, nonce: otherNonce(), now: binding.now - 3600 }),
  },
  missing_claim: {
    ...GOOD,
    title: 'one of the claims asked for is held back',
    expected: failed('query_not_satisfied'),
    disclosure: 'one_too_few',
  },
  over_disclosing: {
    ...GOOD,
    title: 'every claim of the credential is disclosed, asked for or not',
    expected: { status: 'completed' },
    disclosure: 'everything',
  },
} as const satisfies Record<string, Scenario>

export type ScenarioName = keyof typeof SCENARIOS

export const SCENARIO_NAMES = Object.keys(SCENARIOS) as readonly ScenarioName[]

export function isScenarioName(text: string): text is ScenarioName {
  return Object.hasOwn(SCENARIOS, text)
}

function otherNonce(): string {
  return generateKey().x
}

/** Replaces the value of the last disclosure; salt and name stay. Without a disclosure it changes the signed payload. */
function tamperSdJwt(presented: string): string {
  const parts = presented.split('~')
  const at = parts.length - 2
  if (at === 0) return presented.replace('.', '.e')
  const disclosure = JSON.parse(Buffer.from(parts[at] ?? '', 'base64url').toString()) as unknown[]
  disclosure[disclosure.length - 1] = 'tampered'
  parts[at] = Buffer.from(JSON.stringify(disclosure)).toString('base64url')
  return parts.join('~')
}

/** Flips one bit in the random number of the first item, or in a signed digest if no item was disclosed: the encoding stays valid. */
function tamperMdoc(presented: string): string {
  const bytes = fromBase64url(presented)
  const buffer = Buffer.from(bytes)
  const item = buffer.indexOf('random')
  // A byte string of 32 bytes follows the key of an item; after "valueDigests" come a map, a name and the first digest.
  const at =
    item >= 0
      ? item + 'random'.length + 2
      : buffer.indexOf(Uint8Array.of(0x58, 0x20), buffer.indexOf('valueDigests')) + 2
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return toBase64url(bytes)
}
