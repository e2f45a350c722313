// The merchant's reference of a verification, with the name of its metadata member.

import type { VerificationRow } from '../../../../wire/verifications-staff.ts'

/** The name that the dashboard itself gives to references. It is not shown. */
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
