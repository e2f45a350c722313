// The public interface of the engine.

export { type Birth, createBirthReader } from './birth-date.ts'
export { base64Of, base64ToBase64url } from './bytes.ts'
export type { ReaderSigner } from './channels/annex-c/device-request.ts'
export { type IsoQuery, isoQueryOf } from './channels/annex-c/iso-query.ts'
export {
  type AnnexCData,
  type AnnexCInput,
  annexCRequest,
  encryptionInfoOf,
} from './channels/annex-c/request.ts'
export {
  type DcApiProtocol,
  ISO_PROTOCOL,
  OPENID4VP_PROTOCOLS,
  type OpenId4VpProtocol,
} from './channels/dc-api/protocols.ts'
export {
  type DcApiRequest,
  type DcApiSigner,
  multisignedDcApiRequest,
  type SignedDcApiRequest,
  signedDcApiClaims,
  unsignedDcApiRequest,
} from './channels/dc-api/request.ts'
export { type AnnexCKey, type DcApiOffer, type DcApiResponse, readDcApiResponse } from './channels/dc-api/response.ts'
export { isOrigin } from './channels/origin.ts'
export type { Channel, ChannelKind } from './channels/table.ts'
export { checksOfFormat } from './conclude.ts'
export type { FetchedList, StatusAnswer, StatusSource, Trust, ZkStatement } from './expected.ts'
export type { Expected } from './expected-answer.ts'
export { DeviceDocuments } from './formats/mdoc/device-response.ts'
export { ZK_CIRCUITS, ZK_SYSTEM, type ZkCircuit } from './formats/mdoc-zk/circuits.ts'
export { offerProofs } from './formats/mdoc-zk/offer.ts'
export { asksForPid, domesticPidTypes, nameDomesticPids } from './formats/sd-jwt/domestic-pid.ts'
export { AGE_DOCTYPE, type CredentialFormat, type CredentialQuery, type PresentedFormat } from './formats.ts'
export { thumbprintOf } from './jose.ts'
export { equalJson, isJsonObject, isLongerThan, MalformedJson, parseJson, parseJsonObject } from './json.ts'
export type { AcceptedCredential, RejectedCredential, Verdict } from './judged-presentation.ts'
export { type Budget, keptBytesMax, LIMITS, type ListBudget, newBudget, newListBudget } from './limits.ts'
export {
  type AgeLink,
  ageLink,
  ageQueryOf,
  describeAgeLink,
  unsignedClientId,
} from './openid4vp/age-link.ts'
export { type ClientIdPrefix, clientIdOf, requestChainFault } from './openid4vp/client-id.ts'
export type { ClaimsPath, ClaimsQuery, PathPart } from './openid4vp/credential-query.ts'
export { type CredentialSetQuery, type DcqlQuery, parseQuery } from './openid4vp/dcql.ts'
export { InvalidQuery } from './openid4vp/fields.ts'
export type { DecryptionKey } from './openid4vp/jwe.ts'
export { encryptJwe, recipientOf } from './openid4vp/jwe-writing.ts'
export {
  describeRequest,
  type EncryptionKey,
  encryptionKeyOf,
  encryptionKeyOfPoint,
  type RequestParameters,
  type RequestSigner,
  registrationInfo,
  requestClaims,
  requestHeader,
  signCompact,
  type WalletLink,
  walletUri,
} from './openid4vp/request.ts'
export {
  type CostlyWork,
  encryptRequest,
  type RequestEncryption,
  requestEncryptionOf,
} from './openid4vp/request-encryption.ts'
export { type ExpectedResponse, readResponse, readResponseToOneOf, type WalletResponse } from './openid4vp/response.ts'
export { type DeclaredList, declarationOf } from './openid4vp/wallet-declaration.ts'
export {
  type Agreement,
  type MissingSupport,
  negotiate,
  readWalletMetadata,
  WALLET_METADATA_MAX,
} from './openid4vp/wallet-metadata.ts'
export { hasPath, overlapsPath, pathTreeOf, withoutPaths } from './path-tree.ts'
export {
  REGISTRATION_FORMAT,
  REGISTRATION_LENGTH_MAX,
  type RegistrationCertificate,
  type RegistrationReading,
  readRegistrationCertificate,
} from './registration/certificate.ts'
export {
  isGoodRegistration,
  type JudgedRegistration,
  judgeRegistrationCertificate,
  keepRevocations,
  type RegistrationVerdict,
} from './registration/judge.ts'
export { countPaths, type RegisteredCredential, type WordedText } from './registration/members.ts'
export {
  REGISTER_FORMAT,
  type RegisterReading,
  readRegisterAnswer,
  thumbprintsOf,
} from './registration/register-answer.ts'
export { type RegisterRecord, type RegisterUse, readRegisterRecord } from './registration/register-record.ts'
export { costOf, type ListCost, type ListLifetime, lifetimeOf, memoryOf, readList } from './status/content.ts'
export type { ListContent } from './status/list-types.ts'
export {
  encodeTransaction,
  QES_APPROVAL_TYPE,
  readTransaction,
  TRANSACTION_HASH_ALGORITHM,
  type TransactionItem,
  transactionHash,
  transactionKindOf,
} from './transaction/item.ts'
export { QES_HASH_OIDS } from './transaction/key-binding.ts'
export { type LintCheck, type LintFinding, lintAccessCertificate } from './trust/access-certificate.ts'
export type { Anchor, ListedKeys, SoleType, VouchedFormat, VouchedType } from './trust/anchor.ts'
export { prepareAnchors } from './trust/anchors.ts'
export { type ChainCache, createChainCache } from './trust/cache.ts'
export { anchorFault } from './trust/installable.ts'
export type { ListProviders } from './trust/list-profile.ts'
export { parseLote } from './trust/lote.ts'
export {
  isListSignerRevoked,
  type ListEntry,
  type ListKind,
  type ListReading,
  type PublishedList,
  signerFault,
} from './trust/published-list.ts'
export { type SigningPurpose, signingPurposeFault } from './trust/purposes.ts'
export { parseTrustedList } from './trust/trusted-list.ts'
export { parseVical } from './trust/vical.ts'
export {
  CHECKS,
  type Check,
  type CheckName,
  type CheckStatus,
  type Confirmation,
  FACTORS,
  type Factor,
  type Issuer,
  type Json,
  type JsonObject,
  type RejectionCode,
  type TrustEvidence,
  type UsedList,
} from './verdict.ts'
export { verifyPresentation } from './verify.ts'
