// The sandbox as the rest of the service sees it: an issuer of invented people and a registrar of whoever asks, trusted in the
// test environment alone.

import type { TrustAnchor } from './anchor.ts'

/** What the test wallet can present, by what the command line calls it: a counterpart of its own, not the table of formats. */
export const WALLET_FORMATS = { sdjwt: 'dc+sd-jwt', mdoc: 'mso_mdoc' } as const
type WalletFormat = (typeof WALLET_FORMATS)[keyof typeof WALLET_FORMATS]

/** Where the sealed issuer belongs. */
export const sandboxIssuerSealContext = (name: string) => `sandbox_issuers.sealed|service|test|${name}`

export interface Sandbox {
  readonly anchors: readonly TrustAnchor[]
  /** What issuer and registrar of the sandbox serve at an address of theirs; null when it is not one of them. */
  documentAt(uri: string, nowMs: number): Promise<SandboxDocument | null>
  readonly registrar: SandboxRegistrar
  readonly scenarios: readonly { readonly name: string; readonly title: string }[]
  /** What it can do wrong with what its holder is to agree to. */
  readonly transactionScenarios: readonly { readonly name: string; readonly title: string }[]
  /** What a link asks, as a conformant wallet understands it; a reason where such a wallet would refuse. */
  inspect(walletUri: string, exchange: Exchange, nowMs: number): Promise<Inspection>
  present(walletUri: string, options: PresentOptions): Promise<Presentation>
}

export interface SandboxDocument {
  readonly bytes: Uint8Array
  readonly contentType: string
  /** 200 where nothing is said. */
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
      /** By its certificate, or where nobody signed: the address that the answer goes to. */
      readonly verifier: string
      readonly signed: boolean
      readonly purposes: readonly string[]
      readonly asked: readonly AskedDocument[]
      /** Any single one of them answers; otherwise all of them are asked for, or some together. */
      readonly oneAnswers: boolean
      /** What its holder is to agree to: the text is what is signed, base64url as in the request. */
      readonly transaction: readonly { readonly type: string; readonly text: string }[]
      readonly registration: ShownRegistration | null
    }
  | Refused

/** A document that would answer, by any of its types; no paths: that one holds it. */
export interface AskedDocument {
  readonly types: readonly string[]
  readonly format: string
  readonly paths: readonly ClaimPath[]
}

export type ClaimPath = readonly (string | number | null)[]

/** As people write it who know the query. */
export const pathText = (path: ClaimPath) => path.map((part) => part ?? '*').join('.')

export interface Refused {
  readonly outcome: 'refused'
  readonly about: RefusedFor
  /** By its rule, for whoever wrote the request. */
  readonly reason: string
}

/** The link, fetching the request, the request itself; nothing at hand answers; it was told what it cannot do. */
export type RefusedFor = 'link' | 'fetch' | 'request' | 'nothing_held' | 'choice'

/** What a wallet shows of the verifier's registration, and what it warns of; null where it does not look at it. */
export interface ShownRegistration {
  readonly party: string | null
  readonly service: string | null
  readonly purposes: readonly { readonly lang: string; readonly text: string }[]
  readonly privacyPolicy: string | null
  readonly warnings: readonly { readonly code: string; readonly text: string; readonly detail: string | null }[]
}

export interface PresentOptions {
  readonly scenario: string
  /** Presents a credential of this format; of either where nothing is said. */
  readonly format?: WalletFormat
  /** What it does wrong with what its holder is to agree to, by name; nothing where nothing is said. */
  readonly transaction?: string
  /** Asked by the browser of a page, through the Digital Credentials API; by the link where nothing is said. */
  readonly asked?: AskedByBrowser
  /** The wallet declines by itself where it would warn its holder. */
  readonly declinesOnWarning?: boolean
  readonly exchange: Exchange
  readonly nowMs: number
}

export interface AskedByBrowser {
  readonly offerUrl: string
  /** Of the page that asks: a wallet is told it by the platform, and answers no other. */
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
      readonly disclosed: readonly AskedDocument[]
      readonly registration: ShownRegistration | null
    }
  | Refused

/** What it serves below its address. */
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

/** A registrar for tests: it registers whomever it is told to. */
export interface SandboxRegistrar {
  /** The address of its register. */
  readonly base: string
  /** PEM, for services and wallets that are to trust it. */
  readonly certificates: { readonly lists: string; readonly access: string; readonly provider: string }
  /** What a registration certificate can have wrong with it, by name. */
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

export interface AccessOrder {
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
  /** Of `scenarios`; null for one that is as it should be. */
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
