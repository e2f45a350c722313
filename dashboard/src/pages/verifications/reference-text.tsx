// The merchant's reference of a verification, with the name of its metadata member.

import type { VerificationRow } from '../../../../wire/verifications-staff.ts'

/** The name that the dashboard itself gives: it is not worth showing. */
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
