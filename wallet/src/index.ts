// Defines the public interface of the test wallet and the sandbox issuer.

export { answerAgeLink, isAgeLink, parseAgeLink } from './age-link.ts'
export { mintAuthority, mintDocumentSigner, mintIaca, mintIntermediate, mintReader, mintSigner } from './authorities.ts'
export type { Choice, Picks } from './choose.ts'
export { chooseCredentials } from './choose.ts'
export type { HeldCredential, HeldMdoc, HeldSdJwt } from './credential.ts'
export type { DcApiAnswer, DcApiOptions } from './dc-api/answer.ts'
export { answerDcApi } from './dc-api/answer.ts'
export type { Misbehaviour, MisbehaviourName } from './dc-api/misbehaviours.ts'
export { MISBEHAVIOUR_NAMES, MISBEHAVIOURS } from './dc-api/misbehaviours.ts'
export type { DcqlQuery } from './dcql.ts'
export { parseDcql } from './dcql.ts'
export type { CredentialKind, IssueOptions, IssuerState } from './issuer.ts'
export {
  CONSENT_TYPE,
  CREDENTIAL_KINDS,
  createIssuer,
  crlUri,
  issue,
  issueAll,
  issuerAnchors,
  issuerCrl,
  renewSigners,
  STATUS_INDEX,
  setStatus,
  statusListCwt,
  statusListJwt,
  statusListUri,
  TYPE,
} from './issuer.ts'
export type { PrivateJwk, PublicJwk } from './keys.ts'
export { generateKey, thumbprint } from './keys.ts'
export { PERSON, type Person } from './person.ts'
export type { Identity, Name } from './pki.ts'
export { certificateBytes, fromPem, mintCertificate, mintCrl, toPem } from './pki.ts'
export type { Binding, ClaimPath } from './present.ts'
export { allPaths, presentCredential } from './present.ts'
export type { RequestFault } from './refusal.ts'
export { DC_API_FAULTS, NoMatchingCredential, REQUEST_FAULTS, RequestRefused } from './refusal.ts'
export type { AccessRequest } from './registrar/access-certificate.ts'
export { accessCrl, issueAccessCertificate } from './registrar/access-certificate.ts'
export type { Party } from './registrar/party.ts'
export { identifierOf, RegistrarRefused, readParty } from './registrar/party.ts'
export type { RegisterAnswer } from './registrar/register-answers.ts'
export { answerRegister, registerKeys, registerKeysUri } from './registrar/register-answers.ts'
export type { RegistrationDefect, RegistrationRequest } from './registrar/registration-certificate.ts'
export {
  issueRegistrationCertificate,
  REGISTRATION_DEFECTS,
  registrationStatusList,
  registrationStatusUri,
  revokeRegistration,
} from './registrar/registration-certificate.ts'
export type { RegistrarState } from './registrar/state.ts'
export { createRegistrar, registerParty, removeParty } from './registrar/state.ts'
export { TRUSTED_LISTS, type TrustedListName, trustedList } from './registrar/trusted-lists.ts'
export type { RegistrationView, RegistrationWarningCode } from './registration/assess.ts'
export { REGISTRATION_WARNINGS } from './registration/assess.ts'
export type { RegistrationPolicy } from './registration/policy.ts'
export type { FetchOptions, VerifierRequest } from './request.ts'
export { fetchRequest, verifyRequestObject } from './request.ts'
export type { Answer } from './respond.ts'
export { encryptResponse, formBody, sendResponse } from './respond.ts'
export type { Scenario, ScenarioName } from './scenarios.ts'
export { isScenarioName, SCENARIO_NAMES, SCENARIOS } from './scenarios.ts'
export { STATUS } from './status-list.ts'
export type { TransactionRequest } from './transaction.ts'
export type { TransactionMisbehaviour, TransactionMisbehaviourName } from './transaction-misbehaviours.ts'
export { TRANSACTION_MISBEHAVIOUR_NAMES, TRANSACTION_MISBEHAVIOURS } from './transaction-misbehaviours.ts'
export type { Presented, WalletOptions } from './wallet.ts'
export { answerRequest, assessRequest, offerAnswers, presentFromLink } from './wallet.ts'
export type { WalletUri } from './wallet-uri.ts'
export { parseWalletUri } from './wallet-uri.ts'
