// Written by "node tools/generate-sdk-types.ts" from the service's OpenAPI document. Read it; change the routes.

export type AnswerChannel = 'age_link' | 'annex_c' | 'dc_api' | 'redirect'

export interface CredentialResult {
  format: 'dc+sd-jwt' | 'mso_mdoc' | 'mso_mdoc_zk'
  doctype_or_vct: string
  claims: Record<string, unknown>
  issuer: {
    common_name?: string
    country?: string
  }
  trusted: boolean
  signature_valid: boolean
  holder_binding_valid: boolean
  /** Only what did not pass */
  findings: {
    check: string
    status: 'pass' | 'fail' | 'warning' | 'skipped'
    detail?: string
  }[]
}

export interface Device {
  id: string
  /** Shown in the audit trail as the actor */
  name: string
  status: 'pending' | 'active' | 'revoked'
  /** The only templates this device may create verifications with */
  allowed_templates: string[]
  created_at: string
  /** When the unused pairing code stops working */
  pairing_expires_at?: string
  enrolled_at?: string
  /** To the minute */
  last_seen_at?: string
  revoked_at?: string
}

export interface DeviceList {
  data: Device[]
}

export interface DeviceTokenPair {
  /** Sent as `Authorization: Bearer` */
  access_token: string
  /** Single use: store it before using the access token */
  refresh_token: string
  token_type: 'Bearer'
  /** Seconds until the access token expires */
  expires_in: number
  /** Seconds until the refresh token expires */
  refresh_expires_in: number
  device: Device
}

export interface ErasureResult {
  /** The erased verification */
  id: string
  /** Rows hard-deleted, by table */
  deleted: {
    verification_sessions: number
    verification_results: number
    webhook_deliveries: number
  }
  erased_at: string
}

export interface EvidenceDelivery {
  id: string
  /** A JWE (compact, `typ` vidimus-evidence+jwe) to your result key */
  evidence: string
  /** The JWS; its `bundle_sha256` is over `evidence` */
  receipt: string
  /** That the receipt is in the public log; null where the log has halted */
  receipt_proof: string | null
}

export interface RegisteredDevice {
  device: Device
  /** Shown only here */
  pairing_code: string
}

export interface TemplateList {
  /** Where the credential belongs: in `test` nothing is proof of anything */
  environment: 'test' | 'live'
  data: {
    key: string
    /** For people */
    title: string
    /** Of a template that has its holder agree to something: the `values` to give in `transaction` */
    fields?: {
      name: string
      as: 'text' | 'number'
    }[]
  }[]
}

export interface Usage {
  /** Current UTC day */
  day: string
  /** Creations counted so far today */
  verifications_created: number
  /** Today's budget */
  daily_quota: number
  remaining: number
  /** Days with any usage, newest first */
  recent: {
    day: string
    verifications_created: number
  }[]
}

export interface Verification {
  /** Opaque and unguessable */
  id: string
  status: VerificationState
  template?: string
  /** For a QR code or a link; only while pending */
  wallet_uri?: string
  /** The `request_uri` inside `wallet_uri`; only while pending */
  request_uri?: string
  /** Merged verified claims */
  claims?: Record<string, unknown>
  credentials?: CredentialResult[]
  error?: {
    code: string
    message: string
  }
  metadata?: Record<string, string>
  purpose?: string
  redirect_url?: string
  created_at: string
  expires_at: string
  responded_at?: string
}

export interface VerificationDiagnostics {
  id: string
  status: VerificationState
  /** How the wallet answered: `age_link`, `annex_c` (ISO 18013-7 Annex C through the browser), `dc_api` (OpenID4VP through the browser), `redirect` (link or QR code). null: nobody has answered, or an earlier release took the answer */
  channel: AnswerChannel | null
  /** What tied the answer to the browser it belongs to: `browser_api`, `response_code` (the wallet led back to it), `code` (typed from another device), `unconfirmed` (test alone). null: nothing did */
  binding: string | null
  /** Empty: no credential was presented. null: forgotten, or an earlier release took the answer */
  credentials: {
    /** The id of the credential query it was presented for */
    query: string
    format: 'dc+sd-jwt' | 'mso_mdoc' | 'mso_mdoc_zk'
    /** Every check of the format, in the order they are made */
    checks: {
      check: string
      /** `not_checked`: an earlier check failed, or there was nothing to check. `not_provable`: a zero-knowledge proof cannot show it */
      outcome: 'passed' | 'failed' | 'warning' | 'not_checked' | 'not_provable'
    }[]
  }[] | null
}

export interface VerificationList {
  data: Verification[]
}

export type VerificationState = 'pending' | 'completed' | 'failed' | 'expired'

export interface VerificationStatus {
  id: string
  status: VerificationState
}

export interface VerificationTransaction {
  id: string
  status: VerificationState
  /** Empty: there was nothing to agree to. null: it is forgotten */
  transaction: {
    type: string
    /** SHA-256 of `data`, in base64url: what the wallet signs */
    hash: string
    alg: 'sha-256'
    /** The text that was sent, letter for letter: base64url of a JSON object */
    data: string
    /** Exactly this text was signed, and the verification completed */
    confirmed: boolean
    /** The id of the query whose credential signed */
    by?: string
    /** When, by the clock of the wallet */
    at?: string
    /** Of a strong customer authentication */
    authentication_code?: string
    factors?: ('knowledge' | 'possession' | 'inherence')[]
  }[] | null
}

export interface VerificationVerdict {
  id: string
  status: VerificationState
  /** null: not completed, asked without a template, or forgotten */
  verdict: 'yes' | 'no' | null
}

/** Every code a refusal may carry. */
export type ErrorCode =
  | 'api_key_expired'
  | 'device_limit_reached'
  | 'device_not_found'
  | 'idempotency_key_in_flight'
  | 'idempotency_key_reused'
  | 'insufficient_scope'
  | 'internal_error'
  | 'invalid_api_key'
  | 'invalid_idempotency_key'
  | 'invalid_pairing_code'
  | 'invalid_refresh_token'
  | 'invalid_request'
  | 'invalid_response_code'
  | 'invalid_transaction'
  | 'invalid_webhook_url'
  | 'not_registered'
  | 'origin_not_allowed'
  | 'over_asking'
  | 'payload_too_large'
  | 'quota_exceeded'
  | 'rate_limit_exceeded'
  | 'session_already_responded'
  | 'session_not_found'
  | 'template_not_allowed'
  | 'transaction_not_supported_for_credential'
  | 'unavailable'
  | 'unknown_template'
  | 'unsupported_media_type'

/** What each operation takes and gives. */
export interface Operations {
  /** End a pending verification now. */
  cancelVerification: {
    path: {
      id: string
    }
    answer: Verification
  }
  /** Collect the evidence bundle of a completed verification, once. */
  collectEvidence: {
    path: {
      id: string
    }
    answer: EvidenceDelivery
  }
  /** Create a verification. */
  createVerification: {
    body: {
      /** A built-in template or one of yours */
      template?: string
      /** A DCQL query, instead of a template */
      query?: {
        credentials: Record<string, unknown>[]
        credential_sets?: Record<string, unknown>[]
      }
      /** Where the signed result is posted; must resolve to a public address */
      webhook_url?: string
      /** Gets `#response_code` */
      redirect_url?: string
      ttl_seconds?: number
      /** Echoed on results and webhooks */
      metadata?: Record<string, string>
      /** Why the data is asked for; shown to the holder */
      purpose?: string
      /** The origin of your own page that asks through the Digital Credentials API, as browsers write it; one of those you have proven. Absent: the hosted page */
      origin?: string
      /** The registered intended use that this is asked under. Absent: that of the template, or the only registered one that covers what is asked */
      intended_use?: string
      /** `first`: the first browser that opens the hosted page holds it, and any other sees that it is open elsewhere. `none`: any browser with the link. Absent: your setting, `first` unless you changed it */
      browser_binding?: 'first' | 'none'
      /** What the holder is to agree to in the wallet: objects with `type`, if you like `credential` (ids of the query), and the members of the type. Where the template fixes it: one object with `values` */
      transaction?: Record<string, unknown>[]
    }
    answer: Verification
  }
  /** Exchange a pairing code for a token pair. */
  enrollDevice: {
    body: {
      /** Case, dashes and spaces are forgiven */
      pairing_code: string
    }
    answer: DeviceTokenPair
  }
  /** Erase a verification and everything derived from it. */
  eraseVerification: {
    path: {
      id: string
    }
    answer: ErasureResult
  }
  /** Forget what a verification told, and keep that it was. */
  forgetVerification: {
    path: {
      id: string
    }
    answer: Verification
  }
  /** The signed receipt of a verification that has ended, also after its erasure. */
  getReceipt: {
    path: {
      id: string
    }
    answer: string
  }
  /** The proof that the receipt is in the public log (C2SP tlog-proof), also after erasure. */
  getReceiptProof: {
    path: {
      id: string
    }
    answer: string
  }
  /** Read today's usage and the last days'. */
  getUsage: {
    answer: Usage
  }
  /** Read a verification. */
  getVerification: {
    path: {
      id: string
    }
    answer: Verification
  }
  /** How a verification went: the channel of the answer, and the outcome of each check. */
  getVerificationDiagnostics: {
    path: {
      id: string
    }
    answer: VerificationDiagnostics
  }
  /** Poll the status of a verification, without a key. */
  getVerificationStatus: {
    path: {
      id: string
    }
    answer: VerificationStatus
  }
  /** What the holder was asked to agree to, and whether it was signed. */
  getVerificationTransaction: {
    path: {
      id: string
    }
    answer: VerificationTransaction
  }
  /** Whether a template was answered with yes or no. */
  getVerificationVerdict: {
    path: {
      id: string
    }
    answer: VerificationVerdict
  }
  /** List devices, newest first. */
  listDevices: {
    answer: DeviceList
  }
  /** List the templates this credential may ask with. */
  listTemplates: {
    answer: TemplateList
  }
  /** List verifications, newest first. */
  listVerifications: {
    query: {
      limit?: number
      /** Only what was created strictly earlier: the `created_at` of the last one of a page */
      before?: string
    }
    answer: VerificationList
  }
  /** Redeem the response code of a redirect, once. */
  redeemResponseCode: {
    path: {
      id: string
    }
    body: {
      response_code: string
    }
    answer: Verification
  }
  /** Register a device and mint its pairing code. */
  registerDevice: {
    body: {
      /** For people */
      name: string
      /** Built-in or tenant template keys */
      allowed_templates: string[]
      /** How long the pairing code works; 900 when absent */
      pairing_ttl_seconds?: number
    }
    answer: RegisteredDevice
  }
  /** Revoke a device: everything it holds stops working at once. */
  revokeDevice: {
    path: {
      /** A UUID */
      id: string
    }
    answer: Device
  }
  /** Exchange a refresh token for the next pair. */
  rotateDeviceToken: {
    body: {
      /** Never send it twice: a spent one revokes the device */
      refresh_token: string
    }
    answer: DeviceTokenPair
  }
}
