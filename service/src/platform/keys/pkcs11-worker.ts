// Calls an HSM by PKCS #11 (OASIS, version 2.40) in its own thread, because its calls block.

import { hash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import type * as Pkcs11 from 'pkcs11js'
import { KeyFailure } from './key-provider.ts'
import type { Pkcs11Answer, Pkcs11Answers, Pkcs11Request, Pkcs11Settings } from './pkcs11-messages.ts'
import type { KeyAlgorithm } from './signing-key.ts'

const { module: modulePath, pin } = workerData as Pkcs11Settings

/** Constants of PKCS #11 3.0 that the package does not have. */
const CKM_EC_EDWARDS_KEY_PAIR_GEN = 0x1055
const CKM_EDDSA = 0x1057
const CKK_EC_EDWARDS = 0x40

const P256 = Buffer.from('06082a8648ce3d030107', 'hex')
/** Ed25519 as an object identifier (RFC 8410), or as the name of the curve, which PKCS #11 3.0 prints. */
const ED25519 = ['06032b6570', '130c656477617264733235353139'].map((hex) => Buffer.from(hex, 'hex'))
const IV_BYTES = 12
const TAG_BITS = 128
/** Longer than any signature or wrapped key. */
const ANSWER_BYTES_MAX = 1024
const WRAPPED_FOR = Buffer.from('vidimus master key', 'utf8')

/** The session ended, or the token was removed. Such a call is retried once with a new session. */
const WORTH_A_RETRY = new Set([
  'CKR_DEVICE_ERROR',
  'CKR_DEVICE_REMOVED',
  'CKR_KEY_HANDLE_INVALID',
  'CKR_OBJECT_HANDLE_INVALID',
  'CKR_SESSION_CLOSED',
  'CKR_SESSION_HANDLE_INVALID',
  'CKR_TOKEN_NOT_PRESENT',
  'CKR_USER_NOT_LOGGED_IN',
])

interface Open {
  readonly session: Buffer
  /** Handles of private keys, by label. */
  readonly keys: Map<string, Buffer>
}

let library: { readonly api: typeof Pkcs11; readonly module: Pkcs11.PKCS11 } | null = null
const sessions = new Map<string, Open>()

async function load(): Promise<NonNullable<typeof library>> {
  if (library !== null) return library
  const imported = await import('pkcs11js').catch(() => {
    throw new KeyFailure('away', 'the package pkcs11js is not built: run `npm rebuild pkcs11js` (needs a C++ compiler)')
  })
  // A CommonJS package: its members are on the default export.
  const api = (imported as unknown as { readonly default: typeof Pkcs11 }).default
  const module = new api.PKCS11()
  module.load(modulePath)
  try {
    module.C_Initialize({ flags: api.CKF_OS_LOCKING_OK })
  } catch (error) {
    // Another thread of this process has initialized the module.
    if (nameOf(error) !== 'CKR_CRYPTOKI_ALREADY_INITIALIZED') throw error
  }
  library = { api, module }
  return library
}

async function openToken(label: string): Promise<Open> {
  const known = sessions.get(label)
  if (known !== undefined) return known
  const { api, module } = await load()
  const slots = module.C_GetSlotList(true).filter((slot) => module.C_GetTokenInfo(slot).label.trim() === label)
  const [slot] = slots
  if (slot === undefined) throw new KeyFailure('away', 'no token of this label is present')
  if (slots.length > 1) throw new KeyFailure('refused', 'more than one token has this label')
  const session = module.C_OpenSession(slot, api.CKF_SERIAL_SESSION | api.CKF_RW_SESSION)
  try {
    module.C_Login(session, api.CKU_USER, pin)
  } catch (error) {
    if (nameOf(error) !== 'CKR_USER_ALREADY_LOGGED_IN') throw error
  }
  const opened = { session, keys: new Map<string, Buffer>() }
  sessions.set(label, opened)
  return opened
}

/** null: the token has no such object. */
async function findObject({ session }: Open, label: string, objectClass: number): Promise<Buffer | null> {
  const { api, module } = await load()
  module.C_FindObjectsInit(session, [
    { type: api.CKA_CLASS, value: objectClass },
    { type: api.CKA_LABEL, value: label },
  ])
  try {
    const found = module.C_FindObjects(session, 2)
    if (found.length > 1) throw new KeyFailure('refused', 'more than one key of the token has this label')
    return found[0] ?? null
  } finally {
    module.C_FindObjectsFinal(session)
  }
}

async function attribute({ session }: Open, object: Buffer, type: number): Promise<Buffer> {
  const { module } = await load()
  const value = module.C_GetAttributeValue(session, object, [{ type }])[0]?.value
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0)
}

const isTrue = (value: Buffer) => value.length === 1 && value[0] === 1
const isFalse = (value: Buffer) => value.length === 1 && value[0] === 0

async function find(open: Open, label: string): Promise<Pkcs11Answers['find']> {
  const { api } = await load()
  const privateKey = await findObject(open, label, api.CKO_PRIVATE_KEY)
  if (privateKey === null) return null
  await requireStaysInToken(open, privateKey)
  const publicKey = await findObject(open, label, api.CKO_PUBLIC_KEY)
  if (publicKey === null) throw new KeyFailure('refused', 'the token has no public key of this label')
  open.keys.set(label, privateKey)
  return publicPart(open, publicKey)
}

async function requireStaysInToken(open: Open, key: Buffer): Promise<void> {
  const { api } = await load()
  const staysInToken =
    isTrue(await attribute(open, key, api.CKA_SENSITIVE)) && isFalse(await attribute(open, key, api.CKA_EXTRACTABLE))
  if (!staysInToken)
    throw new KeyFailure('refused', 'the key can leave its token: it must be sensitive and not extractable')
}

async function publicPart(open: Open, publicKey: Buffer): Promise<Pkcs11Answers['create']> {
  const { api } = await load()
  const type = (await attribute(open, publicKey, api.CKA_KEY_TYPE)).readUInt32LE(0)
  const url = (bytes: Buffer) => bytes.toString('base64url')
  if (type === api.CKK_RSA) {
    const n = url(await attribute(open, publicKey, api.CKA_MODULUS))
    const e = url(await attribute(open, publicKey, api.CKA_PUBLIC_EXPONENT))
    return { algorithm: 'RS256', jwk: { kty: 'RSA', n, e } }
  }
  const curve = await attribute(open, publicKey, api.CKA_EC_PARAMS)
  const point = await attribute(open, publicKey, api.CKA_EC_POINT)
  if (type === api.CKK_EC && curve.equals(P256)) {
    // Some modules leave out the OCTET STRING around the point.
    const raw = point.length === 67 ? point.subarray(2) : point
    if (raw.length !== 65 || raw[0] !== 4)
      throw new KeyFailure('refused', 'the public point of the key is not readable')
    const jwk = { kty: 'EC', crv: 'P-256', x: url(raw.subarray(1, 33)), y: url(raw.subarray(33)) }
    return { algorithm: 'ES256', jwk }
  }
  if (type === CKK_EC_EDWARDS && ED25519.some((one) => one.equals(curve))) {
    const raw = point.length === 34 ? point.subarray(2) : point
    return { algorithm: 'EdDSA', jwk: { kty: 'OKP', crv: 'Ed25519', x: url(raw) } }
  }
  throw new KeyFailure('refused', 'the curve of the key is not supported')
}

async function create(open: Open, label: string, algorithm: KeyAlgorithm): Promise<Pkcs11Answers['create']> {
  const { api, module } = await load()
  const kinds: Partial<Record<KeyAlgorithm, { mechanism: number; template: Pkcs11.Template }>> = {
    ES256: { mechanism: api.CKM_EC_KEY_PAIR_GEN, template: [{ type: api.CKA_EC_PARAMS, value: P256 }] },
    EdDSA: {
      mechanism: CKM_EC_EDWARDS_KEY_PAIR_GEN,
      template: [{ type: api.CKA_EC_PARAMS, value: ED25519[0] ?? P256 }],
    },
    RS256: {
      mechanism: api.CKM_RSA_PKCS_KEY_PAIR_GEN,
      template: [
        { type: api.CKA_MODULUS_BITS, value: 2048 },
        { type: api.CKA_PUBLIC_EXPONENT, value: Buffer.from([1, 0, 1]) },
      ],
    },
  }
  const kind = kinds[algorithm]
  if (kind === undefined) throw new KeyFailure('refused', `keys for ${algorithm} cannot be created in a token`)
  const id = module.C_GenerateRandom(open.session, Buffer.alloc(16))
  const named = [
    { type: api.CKA_TOKEN, value: true },
    { type: api.CKA_LABEL, value: label },
    { type: api.CKA_ID, value: id },
  ]
  const pair = module.C_GenerateKeyPair(
    open.session,
    { mechanism: kind.mechanism },
    [...named, ...kind.template, { type: api.CKA_VERIFY, value: true }],
    [
      ...named,
      { type: api.CKA_PRIVATE, value: true },
      { type: api.CKA_SIGN, value: true },
      { type: api.CKA_SENSITIVE, value: true },
      { type: api.CKA_EXTRACTABLE, value: false },
    ],
  )
  return publicPart(open, pair.publicKey)
}

async function sign(open: Open, label: string, of: { algorithm: KeyAlgorithm; bytes: Uint8Array }): Promise<Buffer> {
  const { api, module } = await load()
  if (!open.keys.has(label)) await find(open, label)
  const key = open.keys.get(label)
  if (key === undefined) throw new KeyFailure('refused', 'the token has no key of this label')
  const mechanisms: Partial<Record<KeyAlgorithm, number>> = {
    ES256: api.CKM_ECDSA,
    EdDSA: CKM_EDDSA,
    RS256: api.CKM_SHA256_RSA_PKCS,
  }
  const mechanism = mechanisms[of.algorithm]
  if (mechanism === undefined) throw new KeyFailure('refused', `keys in a token do not sign with ${of.algorithm}`)
  module.C_SignInit(open.session, { mechanism }, key)
  const input = of.algorithm === 'ES256' ? hash('sha256', of.bytes, 'buffer') : Buffer.from(of.bytes)
  return module.C_Sign(open.session, input, Buffer.alloc(ANSWER_BYTES_MAX))
}

/** AES-256, which quantum computers do not break. Creates the key if the token has none, and refuses one that can leave the token. */
async function findOrCreateWrappingKey(open: Open, label: string): Promise<Buffer> {
  const { api, module } = await load()
  const known = await findObject(open, label, api.CKO_SECRET_KEY)
  if (known !== null) {
    const type = (await attribute(open, known, api.CKA_KEY_TYPE)).readUInt32LE(0)
    const length = await attribute(open, known, api.CKA_VALUE_LEN)
    if (type !== api.CKK_AES || length.length < 4 || length.readUInt32LE(0) !== 32)
      throw new KeyFailure('refused', 'the secret key is not of AES-256')
    await requireStaysInToken(open, known)
    return known
  }
  return module.C_GenerateKey(open.session, { mechanism: api.CKM_AES_KEY_GEN }, [
    { type: api.CKA_CLASS, value: api.CKO_SECRET_KEY },
    { type: api.CKA_KEY_TYPE, value: api.CKK_AES },
    { type: api.CKA_VALUE_LEN, value: 32 },
    { type: api.CKA_TOKEN, value: true },
    { type: api.CKA_PRIVATE, value: true },
    { type: api.CKA_LABEL, value: label },
    { type: api.CKA_ENCRYPT, value: true },
    { type: api.CKA_DECRYPT, value: true },
    { type: api.CKA_SENSITIVE, value: true },
    { type: api.CKA_EXTRACTABLE, value: false },
  ])
}

async function wrap(open: Open, label: string, plain: Uint8Array): Promise<Buffer> {
  const { module } = await load()
  const key = await findOrCreateWrappingKey(open, label)
  const iv = module.C_GenerateRandom(open.session, Buffer.alloc(IV_BYTES))
  module.C_EncryptInit(open.session, await gcm(iv), key)
  return Buffer.concat([iv, module.C_Encrypt(open.session, Buffer.from(plain), Buffer.alloc(ANSWER_BYTES_MAX))])
}

async function unwrap(open: Open, label: string, wrapped: Uint8Array): Promise<Buffer> {
  const { module } = await load()
  const { api } = await load()
  const key = await findObject(open, label, api.CKO_SECRET_KEY)
  if (key === null) throw new KeyFailure('refused', 'the token has no secret key of this label')
  const bytes = Buffer.from(wrapped)
  module.C_DecryptInit(open.session, await gcm(bytes.subarray(0, IV_BYTES)), key)
  return module.C_Decrypt(open.session, bytes.subarray(IV_BYTES), Buffer.alloc(ANSWER_BYTES_MAX))
}

async function gcm(iv: Buffer): Promise<Pkcs11.Mechanism> {
  const { api } = await load()
  const parameter = { type: api.CK_PARAMS_AES_GCM, iv, ivBits: 8 * IV_BYTES, aad: WRAPPED_FOR, tagBits: TAG_BITS }
  return { mechanism: api.CKM_AES_GCM, parameter }
}

async function answer(request: Pkcs11Request): Promise<Pkcs11Answers[keyof Pkcs11Answers]> {
  const open = await openToken(request.token)
  const { object } = request
  switch (request.does) {
    case 'find':
      return find(open, object)
    case 'create':
      return create(open, object, request.algorithm)
    case 'sign':
      return sign(open, object, request)
    case 'wrap':
      return wrap(open, object, request.bytes)
    case 'unwrap':
      return unwrap(open, object, request.bytes)
  }
}

async function answerWithRetry(request: Pkcs11Request): Promise<Pkcs11Answer> {
  try {
    return { outcome: 'done', value: await answer(request) }
  } catch (error) {
    if (!WORTH_A_RETRY.has(nameOf(error))) return failed(error)
  }
  sessions.delete(request.token)
  try {
    return { outcome: 'done', value: await answer(request) }
  } catch (error) {
    return failed(error)
  }
}

function failed(error: unknown): Pkcs11Answer {
  if (error instanceof KeyFailure) return { outcome: 'failed', kind: error.kind, message: error.message }
  // Reports only the code, because the text of the module may contain anything.
  const name = nameOf(error)
  const isRefusal = /^CKR_(PIN|KEY|ATTRIBUTE|MECHANISM|TEMPLATE|ENCRYPTED_DATA|TOKEN_WRITE)/.test(name)
  return { outcome: 'failed', kind: isRefusal ? 'refused' : 'away', message: `the module answers ${name}` }
}

/** The error's code, CKR_…. */
const nameOf = (error: unknown) =>
  /\bCKR_[A-Z0-9_]+/.exec(error instanceof Error ? error.message : '')?.[0] ?? 'an error'

parentPort?.on('message', async (request: Pkcs11Request) => {
  parentPort?.postMessage(await answerWithRetry(request))
})
