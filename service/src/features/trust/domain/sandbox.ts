// Defines what the rest of the service sees of the sandbox: an issuer and a registrar, trusted only in test.

import type { DescribedQuery } from '../../../core/templates/domain/describe-query.ts'
import type { TrustAnchor } from './anchor.ts'

/** The formats that the test wallet can present, by command-line name. Deliberately independent of the table of formats. */
export const WALLET_FORMATS = { sdjwt: 'dc+sd-jwt', mdoc: 'mso_mdoc' } as const
type WalletFormat = (typeof WALLET_FORMATS)[keyof typeof WALLET_FORMATS]

/** The context that the sandbox issuer is sealed with. */
export const sandboxIssuerSealContext = (name: string) => `sandbox_issuers.sealed|service|test|${name}`

export interface Sandbox {
  readonly anchors: readonly TrustAnchor[]
  /** Returns the document that the sandbox's issuer or registrar serves at this address; null: neither serves one. */
  documentAt(uri: string, nowMs: number): Promise<SandboxDocument | null>
  readonly registrar: SandboxRegistrar
  readonly scenarios: readonly WalletScenario[]
  /** The mistakes that the test wallet can make with transaction data. */
  readonly transactionScenarios: readonly WalletScenario[]
  /** The fictional person, as shown on the wallet's cards. */
  readonly person: { readonly name: string; readonly cardNumber: string }
  /** Returns the request of a link as a conformant wallet understands it, or why such a wallet would refuse it. */
  inspect(walletUri: string, exchange: Exchange, nowMs: number): Promise<Inspection>
  present(walletUri: string, options: PresentOptions): Promise<Presentation>
}

export interface WalletScenario {
  readonly name: string
  readonly title: string
  /** The error code that the verification must end with; null: it must complete. */
  readonly expected: string | null
}

export interface SandboxDocument {
  readonly bytes: Uint8Array
  readonly contentType: string
  /** Default: 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** How the wallet reaches the verifier. */
export type Exchange = (request: {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}) => Promise<{ readonly status: number; readonly contentType: string; readonly body: string }>

export type Inspection =
  | {
      readonly outcome: 'understood'
      /** The name in the verifier's certificate. For an unsigned request: the address that receives the answer. */
      readonly verifier: string
      readonly signed: boolean
      readonly purposes: readonly string[]
      readonly documents: readonly RequestedDocument[]
      /** The answers that the request allows. */
      readonly question: DescribedQuery
      /** For each set of the query, the documents that the wallet can answer with. */
      readonly answers: readonly AnswerSet[]
      /** The transaction that the holder confirms. `text` is what the wallet signs: base64url, as in the request. */
      readonly transaction: readonly { readonly type: string; readonly text: string }[]
      readonly registration: ShownRegistration | null
    }
  | Refused

/** A document that the request names by its possible types. If `paths` is empty, the request asks for none of its claims. */
export interface RequestedDocument {
  readonly types: readonly string[]
  readonly format: string
  readonly paths: readonly ClaimPath[]
}

/** What is or was shared of a document: a value for each path. */
export interface SharedDocument extends RequestedDocument {
  readonly values: readonly unknown[]
}

/** The holder chooses one option; the first option reveals least. Without options, no document matches. */
export interface AnswerSet {
  readonly required: boolean
  readonly options: readonly { readonly at: number; readonly documents: readonly SharedDocument[] }[]
}

export type ClaimPath = readonly (string | number | null)[]

/** Writes the path as text, such as `address.locality`; `*` means every element. */
export const pathText = (path: ClaimPath) => path.map((part) => part ?? '*').join('.')

export interface Refused {
  readonly outcome: 'refused'
  readonly about: RefusedFor
  /** The rule that the request violates, for its developer. */
  readonly reason: string
}

/**
 * The step at which the wallet refused. `nothing_held`: no document matches; `choice`: the caller chose something that
 * the wallet does not support.
 */
export type RefusedFor = 'link' | 'fetch' | 'request' | 'nothing_held' | 'choice'

/** What a wallet shows of the verifier's registration, and its warnings; null if the wallet does not check registrations. */
export interface ShownRegistration {
  readonly party: string | null
  readonly service: string | null
  readonly purposes: readonly { readonly lang: string; readonly text: string }[]
  readonly privacyPolicy: string | null
  readonly warnings: readonly { readonly code: string; readonly text: string; readonly detail: string | null }[]
}

export interface PresentOptions {
  readonly scenario: string
  /** Presents a credential of this format; default: either. */
  readonly format?: WalletFormat
  /** The chosen option for each set; null: the optional set is not answered. Default: the option that reveals least. */
  readonly picks?: ReadonlyMap<number, number | null>
  /** The mistake with transaction data, by name; default: none. */
  readonly transaction?: string
  /** The request came from a page's browser through the Digital Credentials API. Default: through the link. */
  readonly browserRequest?: BrowserRequest
  /** The wallet declines a request for which it would warn its holder. */
  readonly declinesOnWarning?: boolean
  readonly exchange: Exchange
  readonly nowMs: number
}

export interface BrowserRequest {
  readonly offerUrl: string
  /** The origin of the page that asks. The platform passes it to the wallet, which binds its answer to it. */
  readonly origin: string
  readonly protocol: BrowserProtocol
}

export const BROWSER_PROTOCOLS = ['openid4vp-v1-signed', 'org-iso-mdoc'] as const
export type BrowserProtocol = (typeof BROWSER_PROTOCOLS)[number]

export type Presentation =
  | {
      readonly outcome: 'answered'
      readonly status: number
      readonly redirectUri: string | null
      readonly disclosed: readonly SharedDocument[]
      readonly registration: ShownRegistration | null
    }
  | Refused

/** Paths that the registrar serves. */
export const REGISTRAR_PATHS = [
  '/wrp',
  '/wrp/:identifier',
  '/status-list.jwt',
  '/jwks.json',
  '/access.crl',
  '/access.crt',
  '/lists/access-authorities.jwt',
  '/lists/registration-providers.jwt',
  '/lists/registers.jwt',
] as const

/** A registrar for tests, which registers anyone on request. */
export interface SandboxRegistrar {
  /** The address of its register. */
  readonly base: string
  /** PEM, for services and wallets that trust the registrar. */
  readonly certificates: { readonly lists: string; readonly access: string; readonly provider: string }
  /** The possible defects of a registration certificate, by name. */
  readonly scenarios: readonly { readonly name: string; readonly title: string }[]
  registerParty(party: unknown): Promise<RegistrarOutcome<{ readonly identifier: string }>>
  remove(identifier: string): Promise<RegistrarOutcome<object>>
  certify(order: AccessOrder): Promise<RegistrarOutcome<{ readonly chain: string }>>
  issue(order: RegistrationOrder): Promise<RegistrarOutcome<{ readonly jwt: string; readonly index: number }>>
  revoke(index: number): Promise<RegistrarOutcome<object>>
  list(): Promise<RegistrarContent>
}

export type RegistrarOutcome<Done> =
  | ({ readonly outcome: 'done' } & Done)
  | { readonly outcome: 'refused'; readonly problem: string }

interface AccessOrder {
  readonly signingRequest: string
  readonly identifier: string
  readonly serviceIdentifier: string
  readonly intermediary: string | null
  readonly purpose: 'openid4vp' | 'iso-reader'
  readonly days: number
  readonly nowMs: number
}

export const REGISTRATION_SHAPES = ['1.2.1', '1.1.1'] as const

export interface RegistrationOrder {
  readonly identifier: string
  readonly serviceIdentifier: string
  readonly intendedUseIdentifier: string
  readonly days: number
  readonly shape: (typeof REGISTRATION_SHAPES)[number]
  /** One of `scenarios`; null for a valid certificate. */
  readonly scenario: string | null
  readonly nowMs: number
}

export interface RegistrarContent {
  readonly parties: readonly {
    readonly identifier: string
    readonly tradeName: string
    readonly services: readonly { readonly identifier: string; readonly intendedUses: readonly string[] }[]
  }[]
  readonly issued: readonly {
    readonly index: number
    readonly identifier: string
    readonly serviceIdentifier: string
    readonly intendedUseIdentifier: string
    readonly expiresAt: number
    readonly revoked: boolean
  }[]
}
