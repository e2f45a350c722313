// Why a change of trust was refused, in the reader's language.

import type { TrustChange } from '../../../../wire/trust.ts'
import { usePageWords } from '../../preferences.tsx'
import { Note } from '../../ui/parts.tsx'
import { trustWords } from '../../words/trust.ts'

export type Refused = Extract<TrustChange, { outcome: 'refused' }>

/** Codes for many kinds of faults of a certificate or list. Only the check's own message says which one. */
const MANY: ReadonlySet<Refused['code']> = new Set([
  'anchor_unfit',
  'certificate_unfit',
  'list_unfit',
  'list_providers',
  'list_mismatch',
])

export function RefusedNote({ refused }: { refused: Refused | null }) {
  const words = usePageWords(trustWords)
  if (refused === null) return null
  return (
    <Note tone="bad">
      <p>{words.problems[refused.code]}</p>
      {MANY.has(refused.code) && (
        <p className="mt-1">
          {words.technical}: <span lang="en">{refused.problem}</span>
        </p>
      )}
    </Note>
  )
}
