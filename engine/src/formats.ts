// The public interface of the formats: what a service must know about each, without judging anything.

export {
  AGE_DOCTYPE,
  docTypeOf,
  EVERY_DOCUMENT,
  vouchedDocType,
} from './formats/mdoc/name.ts'
export {
  askedFormatOf,
  askedTypes,
  CREDENTIAL_FORMATS,
  type CredentialFormat,
  type CredentialQuery,
  FORMAT_NAMES,
  formatOf,
  isCredentialFormat,
  type PresentedFormat,
  vouchedFormatOf,
} from './formats/table.ts'
