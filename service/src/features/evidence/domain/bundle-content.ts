// The content of an evidence bundle, as a thread gets it.

import type { Instant } from '../../../platform/world.ts'

/** JSON as in docs/evidence.md, but with unencoded bytes, so that they can be transferred to a thread. */
export interface BundleContent {
  readonly version: 1
  readonly verification: string
  readonly at: Instant
  readonly request: string | null
  readonly response: object
  readonly result: object
  readonly trust: readonly object[]
  readonly lists: readonly object[]
}

/** Bytes are base64. */
export function renderContent(content: BundleContent): string {
  return JSON.stringify(content, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64') : value,
  )
}
