// Defines what the service must know of a channel between wallet and verifier. Each channel is a folder; `list.ts` lists them.

import type { ChannelKind } from '@vidimus/engine'

/** How answers are counted: by scanned code, by link on the same device, through the browser, or as a sign-in. */
export const COUNTED_CHANNELS = ['qr', 'same_device', 'dc_api', 'openid'] as const

export interface ChannelRecord<Name extends string> {
  readonly name: Name
  readonly label: { readonly en: string; readonly de: string }
  /** What the engine binds the channel's answers to. */
  readonly binding: ChannelKind
  /**
   * How the wallet receives the request: it fetches a request object from us, a page passes it an offer through the
   * browser, or it opens the link of the EU age profile, which is the whole request.
   */
  readonly asks: 'request_object' | 'offer' | 'age_request'
  /** False: answers are unencrypted, or encrypted to the binding's own key instead of the verification's. */
  readonly usesResponseKey: boolean
  /** Whether requests may ask for zero-knowledge proofs. Only then may answers contain proofs. */
  readonly mayAskProofs: boolean
  /** Whether the request can contain the registration certificate. */
  readonly namesRegistration: boolean
  /** HAIP 1.0 §5.1: whether the wallet sends the holder to our hosted page if the merchant names no page. */
  readonly leadsToHostedPage: boolean
  /** `by_device`: depends on how the holder opened the verification, by a code or on the same device. */
  readonly countedAs: Exclude<(typeof COUNTED_CHANNELS)[number], 'openid'> | 'by_device'
}
