// Defines the template for a driving licence.

import type { Outputs } from '../outputs.ts'
import type { Template } from '../template.ts'
import { kept, MDL, MDL_MDOC } from './credentials.ts'

export function licenceTemplate(): Template {
  const elements = [
    'given_name',
    'family_name',
    'birth_date',
    'document_number',
    'issuing_country',
    'issuing_authority',
    'issue_date',
    'expiry_date',
    'driving_privileges',
  ]
  const outputs: Outputs = Object.fromEntries(
    elements.map((element) => [element, { value: [{ credential: 'mdl', path: [MDL, element] }] }]),
  )
  return {
    key: 'driving_licence',
    title: 'Driving licence',
    description: 'Names, date of birth, the document and the licence categories.',
    query: { credentials: [{ ...MDL_MDOC, claims: elements.map((element) => kept(MDL, element)) }] },
    outputs,
  }
}
