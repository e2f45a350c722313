// Whom we trust, and for what.

import type { CredentialFormat } from '../verdict.ts'

/** A certificate that may vouch for named credential types. No anchors: nobody is trusted. */
export interface Anchor {
  /**
   * ca: an authority above signers. pinned: the signer itself, by its bytes, where its key may sign. exact: the signer itself,
   * by its bytes and within its time, whatever else is wrong with it. The last two are for tests.
   */
  readonly kind: 'ca' | 'pinned' | 'exact'
  readonly certificate: Uint8Array
  readonly types: readonly VouchedType[]
  /** Certificate profile of the document signers below it. */
  readonly profile: 'iso-mdl' | 'generic'
}

/**
 * A format and a vct or docType of that format: `dc+sd-jwt:urn:eudi:pid:1`. A docType that spells like a vct is another type.
 * `*` behind the format stands for every type of it and must be written out.
 */
export type VouchedType = `${VouchedFormat}:${string}`

/** Formats of credentials; and registration certificates of relying parties and what registers answer, whose signers vouch for no credential. */
export type VouchedFormat = CredentialFormat | 'rc-wrp+jwt' | 'register+jwt'
