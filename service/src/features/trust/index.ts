// Defines the public interface of trust for other features.

export {
  type AnchorView,
  findMixed,
  isAddress,
  isVouchedType,
  type ListIssue,
  needsProviders,
  REGISTERS,
  REGISTRATIONS,
  renderAnchor,
  renderTrustList,
  type ShownAnchor,
  type TrustAnchor,
  type TrustList,
  vouchedTypesOf,
} from './domain/anchor.ts'
export { anchorFacts } from './domain/anchor-facts.ts'
export {
  authoritySealContext,
  type Certificate,
  type CertificatePurpose,
  type CertificateView,
  certificateSealContext,
  renderCertificate,
} from './domain/certificate.ts'
export type { Owner } from './domain/certificate-use.ts'
export { onlyProviders, providersProblem } from './domain/list-providers.ts'
export { isOfSameSigner } from './domain/list-signer.ts'
export { certificatesIn, toPem } from './domain/pem.ts'
export {
  type AnswerSet,
  BROWSER_PROTOCOLS,
  type BrowserProtocol,
  type BrowserRequest,
  type ClaimPath,
  type Exchange,
  type Inspection,
  type Presentation,
  type PresentOptions,
  pathText,
  REGISTRAR_PATHS,
  REGISTRATION_SHAPES,
  type Refused,
  type RefusedFor,
  type RegistrarContent,
  type RegistrarOutcome,
  type RegistrationOrder,
  type RequestedDocument,
  type Sandbox,
  type SandboxDocument,
  type SandboxRegistrar,
  type SharedDocument,
  type ShownRegistration,
  sandboxIssuerSealContext,
  WALLET_FORMATS,
  type WalletScenario,
} from './domain/sandbox.ts'
export { readSoleType, renderSoleType, type SoleType, soleTypeProblem } from './domain/sole-type.ts'
export { issueAuthority, issueLeaf } from './outbound/certificate.ts'
export { countAnchorsOf, listAllAnchors, measureAnchorsOf } from './store/anchors.ts'
export {
  listAllCertificates,
  listCertificateKeyMaterial,
  listCertificatesOf,
  listSigningRequests,
  type SigningRequest,
} from './store/certificates.ts'
export {
  dropContradictedMarks,
  listContradictedMarks,
  listUnreadLists,
  nameTenantOfListedKeys,
} from './store/listed-keys.ts'
export { listTrustLists, listTrustListsOf } from './store/trust-lists.ts'
export { diagnoseTrust, WARN_DAYS } from './usecases/diagnose-trust.ts'
export { importTrustList, removeTrustList, revokeGrant } from './usecases/import-trust-list.ts'
export { changeSandboxState, keepSandboxState, sandboxStateReader } from './usecases/keep-sandbox-state.ts'
export { lintForRegistration } from './usecases/lint-certificates.ts'
export type { ListNeeds } from './usecases/load-trust-list.ts'
export {
  addAnchor,
  anchorProblem,
  readAnchors,
  readBlockingOfKey,
  removeAnchor,
  typesProblem,
} from './usecases/manage-anchors.ts'
export {
  exportCertificates,
  installCertificate,
  judgeCertificate,
  readCertificates,
} from './usecases/manage-certificates.ts'
export { withdrawOwnKey } from './usecases/manage-own-trust.ts'
export { mayAddIssuers } from './usecases/may-add-issuers.ts'
export { removeOrigin } from './usecases/origins/manage-origins.ts'
export { diagnoseOrigins } from './usecases/origins/recheck-origins.ts'
