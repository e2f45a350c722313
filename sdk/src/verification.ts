// What the service tells about a verification (interface specification 2.1 and 2.2).

export type VerificationStatus = 'pending' | 'completed' | 'failed' | 'expired'

export interface Verification {
  id: string
  status: VerificationStatus
  template?: string
  /** `openid4vp://` address for a QR code or deep link; of pending verifications only. */
  wallet_uri?: string
  request_uri?: string
  /** Merged verified claims. */
  claims?: Record<string, unknown>
  credentials?: CredentialResult[]
  error?: { code: string; message: string }
  metadata?: Record<string, string>
  purpose?: string
  redirect_url?: string
  created_at: string
  expires_at: string
  responded_at?: string
}

export interface CredentialResult {
  format: 'mso_mdoc' | 'dc+sd-jwt'
  doctype_or_vct: string
  claims: Record<string, unknown>
  issuer: { common_name?: string; country?: string }
  trusted: boolean
  signature_valid: boolean
  holder_binding_valid: boolean
  /** Only findings that are not `pass`. */
  findings: Finding[]
}

export interface Finding {
  check: string
  status: 'pass' | 'fail' | 'warning' | 'skipped'
  detail?: string
}
