// The public interface of the formats: what a service must know about each. Nothing here judges a presentation.

export { withConflicts } from './formats/conflicts.ts'
export {
  AGE_DOCTYPE,
  docTypeOf,
  EVERY_DOCUMENT,
  vouchedDocType,
} from './formats/mdoc/name.ts'
export {
  CREDENTIAL_FORMATS,
  type CredentialFormat,
  type CredentialQuery,
  FORMAT_NAMES,
  formatOf,
  isCredentialFormat,
  type PresentedFormat,
  queriedFormatOf,
  queriedTypes,
  vouchedFormatOf,
} from './formats/table.ts'
