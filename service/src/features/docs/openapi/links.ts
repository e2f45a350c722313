// OpenAPI links: which responses contain the parameters of other calls.

const ID = '$response.body#/id'
const OF_A_VERIFICATION = [
  'getVerification',
  'eraseVerification',
  'redeemResponseCode',
  'cancelVerification',
  'forgetVerification',
  'getVerificationVerdict',
  'getReceipt',
  'getReceiptProof',
  'getCertificate',
  'collectEvidence',
  'getVerificationTransaction',
  'getVerificationDiagnostics',
  'getVerificationStatus',
] as const
const OF_A_WALLET = [
  'getRequestObject',
  'postRequestObject',
  'postWalletResponse',
  'getDigitalCredentialOffer',
] as const

const linksTo = (operations: readonly string[], parameter: string, value: string) =>
  Object.fromEntries(
    operations.map((operationId) => [operationId, { operationId, parameters: { [parameter]: value } }]),
  )

/** Links of the success response, by operation. */
export const LINKS: Readonly<Record<string, object>> = {
  createVerification: { ...linksTo(OF_A_VERIFICATION, 'id', ID), ...linksTo(OF_A_WALLET, 'sessionId', ID) },
  listVerifications: linksTo(['getVerification'], 'id', '$response.body#/data/0/id'),
  registerDevice: linksTo(['revokeDevice'], 'id', '$response.body#/device/id'),
  createUniversalRequest: linksTo(
    ['getUniversalRequest', 'deleteUniversalRequest'],
    'correlation_id',
    '$response.body#/correlation_id',
  ),
}
