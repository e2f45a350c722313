// Summarizes the checks of one credential as six statements. A check without a finding passed or was not reached.

export const PROOFS = ['signature', 'trust', 'validity', 'holder', 'status', 'question'] as const
export type ProofName = (typeof PROOFS)[number]

/**
 * `unchecked`: an earlier check failed, so this one was not reached. `skipped`: there was nothing to check.
 * `not_provable`: a zero-knowledge proof cannot show it.
 */
export type ProofState = 'proven' | 'failed' | 'warning' | 'skipped' | 'unchecked' | 'not_provable'

export interface Proof {
  readonly name: ProofName
  readonly state: ProofState
  readonly details: readonly string[]
}

interface Finding {
  readonly check: string
  readonly status: string
  readonly detail?: string
}

export interface Judged {
  readonly format: string
  readonly trusted: boolean
  readonly signature_valid: boolean
  readonly holder_binding_valid: boolean
  readonly status_checked: boolean
  readonly findings: readonly Finding[]
}

const PROOF_OF: Readonly<Record<string, ProofName>> = {
  well_formed: 'signature',
  algorithm_allowed: 'signature',
  issuer_certificate_present: 'signature',
  issuer_signature_valid: 'signature',
  disclosures_valid: 'signature',
  digests_valid: 'signature',
  issuer_trusted: 'trust',
  signer_not_revoked: 'trust',
  within_validity: 'validity',
  holder_key_present: 'holder',
  holder_signature_valid: 'holder',
  bound_to_request: 'holder',
  bound_to_presentation: 'holder',
  device_claims_authorised: 'holder',
  transaction_data_valid: 'holder',
  transaction_order: 'holder',
  not_revoked: 'status',
  type_requested: 'question',
  query_answered: 'question',
  authority_requested: 'question',
}

/** What the service reports about each format. */
interface KnownFormat {
  readonly name: string
  readonly shows_status: boolean
}

export function proofsOf(credential: Judged, formats: readonly KnownFormat[]): readonly Proof[] {
  // An unknown format shows no status.
  const showsStatus = formats.find(({ name }) => name === credential.format)?.shows_status === true
  const isUnexamined = credential.findings.some(
    ({ check, status }) => check === 'issuer_trusted' && status === 'skipped',
  )
  return PROOFS.map((name) => {
    const findings = credential.findings.filter(({ check }) => PROOF_OF[check] === name)
    const details = findings.flatMap(({ detail }) => (detail === undefined ? [] : [detail]))
    if (isUnexamined) return { name, state: 'unchecked', details }
    return {
      name,
      state: stateFrom(name, findings, showsStatus) ?? (wasReached(name, credential) ? 'proven' : 'unchecked'),
      details,
    }
  })
}

/** What was not proven of the credentials together, each once. */
export function unprovenOf(credentials: readonly Judged[], formats: readonly KnownFormat[]) {
  const unproven = credentials.flatMap((one) => proofsOf(one, formats)).filter(({ state }) => state !== 'proven')
  return [...new Map(unproven.map(({ name, state }) => [`${name} ${state}`, { name, state }])).values()]
}

/** Findings outside these statements: contradictions between credentials, and checks of newer releases. */
export const otherFindings = ({ findings }: Pick<Judged, 'findings'>) =>
  findings.filter(({ check }) => PROOF_OF[check] === undefined)

function stateFrom(name: ProofName, findings: readonly Finding[], showsStatus: boolean): ProofState | null {
  const has = (status: string) => findings.some((finding) => finding.status === status)
  if (has('fail')) return 'failed'
  if (has('warning')) return 'warning'
  // A zero-knowledge proof does not show the status, so the status is unknown.
  if (name === 'status' && !showsStatus && has('skipped')) return 'not_provable'
  // A signer without a revocation list is still trusted.
  return name !== 'trust' && has('skipped') ? 'skipped' : null
}

function wasReached(name: ProofName, credential: Judged): boolean {
  const passed = !credential.findings.some((finding) => finding.status === 'fail')
  const isWhole = credential.signature_valid && credential.trusted && credential.holder_binding_valid && passed
  switch (name) {
    case 'signature':
    case 'validity':
      return credential.signature_valid
    case 'trust':
      return credential.trusted
    case 'holder':
      return credential.holder_binding_valid
    case 'question':
      return isWhole
    case 'status':
      return isWhole && credential.status_checked
  }
}
