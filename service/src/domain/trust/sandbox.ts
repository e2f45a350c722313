// The sandbox as the rest of the service sees it: an issuer of invented people, trusted in the test environment alone.

import type { CredentialFormat } from '@vidimus/engine'
import type { TrustAnchor } from './anchor.ts'

/** Where the sealed issuer belongs (see Sealer). */
export const sandboxIssuerSealContext = (name: string) => `sandbox_issuers.sealed|service|test|${name}`

export interface Sandbox {
  readonly anchors: readonly TrustAnchor[]
  /** A status list or revocation list of the sandbox issuer by its address; null when the address is not one of them. */
  statusAt(uri: string, nowMs: number): SandboxDocument | null
  readonly scenarios: readonly { readonly name: string; readonly title: string }[]
  /** What a link asks, as a conformant wallet understands it; a reason where such a wallet would refuse. */
  inspect(walletUri: string, exchange: Exchange, nowMs: number): Promise<Inspection>
  present(walletUri: string, options: PresentOptions): Promise<Presentation>
}

export interface SandboxDocument {
  readonly bytes: Uint8Array
  readonly contentType: string
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
      readonly verifier: string
      readonly purposes: readonly string[]
      readonly asked: readonly { readonly type: string; readonly format: string; readonly claims: readonly string[] }[]
    }
  | { readonly outcome: 'refused'; readonly reason: string }

export interface PresentOptions {
  readonly scenario: string
  /** Presents a credential of this format; of either where nothing is said. */
  readonly format?: CredentialFormat
  /** Asked by the browser of a page, through the Digital Credentials API; by the link where nothing is said. */
  readonly asked?: AskedByBrowser
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
      readonly disclosed: readonly { readonly type: string; readonly claims: readonly string[] }[]
    }
  | { readonly outcome: 'refused'; readonly reason: string }
