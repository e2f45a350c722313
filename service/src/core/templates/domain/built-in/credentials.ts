// Defines the credentials of the built-in templates, under the ids that their outputs use.

import type { ClaimsQuery, CredentialQuery, DcqlQuery } from '@vidimus/engine'

/** Namespaces; the first two are also the document types of their credentials. */
export const PID = 'eu.europa.ec.eudi.pid.1'
export const AGE_PROOF = 'eu.europa.ec.av.1'
export const MDL = 'org.iso.18013.5.1'

export const PID_SD_JWT = { id: 'pid_sd', format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } } as const
export const PID_MDOC = { id: 'pid_mdoc', format: 'mso_mdoc', meta: { doctype_value: PID } } as const
export const MDL_MDOC = { id: 'mdl', format: 'mso_mdoc', meta: { doctype_value: 'org.iso.18013.5.1.mDL' } } as const
export const EU_AGE_PROOF = { id: 'age_proof', format: 'mso_mdoc', meta: { doctype_value: AGE_PROOF } } as const

/** Asks for one of the credentials: the first that the holder has. */
export function anyOf(credentials: readonly CredentialQuery[]): DcqlQuery {
  return { credentials, credential_sets: [{ options: credentials.map(({ id }) => [id]) }] }
}

/** An element with intent to retain: we keep its value until the verification is erased. The wallet may say so. */
export function kept(namespace: string, element: string): ClaimsQuery {
  return { path: [namespace, element], intent_to_retain: true }
}
