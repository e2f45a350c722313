// What the merchant calls a verification by, and what the merchant calls that.

import type { VerificationRow } from '../../../../wire/verifications-staff.ts'

/** As the dashboard itself names it: nothing one has to be told. */
const USUAL = 'reference'

export function ReferenceText({
  reference: { name, value },
}: {
  reference: NonNullable<VerificationRow['reference']>
}) {
  return (
    <span title={`${name}: ${value}`} className="block truncate sm:max-w-48">
      {name !== USUAL && <span className="text-soft">{name} </span>}
      {value}
    </span>
  )
}
