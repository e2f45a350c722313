// Parses a VICAL (ISO/IEC 18013-5 Annex C): a COSE_Sign1 over a list of IACA certificates with their docTypes.

import { isShowable } from '../bytes.ts'
import {
  type CborBudget,
  type CborMap,
  type CborValue,
  cborBudget,
  decodeCbor,
  isCborArray,
  isCborBytes,
  isCborEmbedded,
  isCborMap,
  isCborTag,
  MalformedCbor,
} from '../cbor/cbor.ts'
import { COSE_SIGN1_TAG, certificateChain, isSignedWith, readCose } from '../cbor/cose.ts'
import { TYPE_LENGTH_MAX, TYPES_MAX } from '../formats/query-limits.ts'
import { algorithmOfKey } from '../jose.ts'
import { otherFormatFault } from './list-format.ts'
import { profileOf, type ReadingTerms } from './list-profile.ts'
import {
  currencyFault,
  endOf,
  instantSeconds,
  type ListEntry,
  type ListReading,
  listSigner,
  showableName,
} from './published-list.ts'

/** Several hundred authorities with a dozen fields each. They are read only after the signature is verified. */
const ITEMS_MAX = 200_000

type VicalTerms = ReadingTerms & {
  /** The maximum number of CBOR items in its content; absent: ITEMS_MAX. */
  readonly itemsMax?: number
}

/**
 * Never throws, because publishers are not trusted to write well-formed lists. `signerFault` has to follow: the signer may
 * have been revoked.
 */
export function parseVical(bytes: Uint8Array, terms: VicalTerms): ListReading {
  try {
    return read(bytes, terms)
  } catch (error) {
    if (error instanceof MalformedCbor) return refused('the VICAL cannot be read')
    throw error
  }
}

function read(bytes: Uint8Array, { itemsMax = ITEMS_MAX, ...terms }: VicalTerms): ListReading {
  const profile = profileOf(terms.providers, 'vical')
  if ('outcome' in profile) return profile
  const otherFormat = otherFormatFault(bytes, 'vical')
  if (otherFormat !== null) return otherFormat
  const envelope = cborBudget()
  const message = readCose(decodeCbor(bytes, envelope), COSE_SIGN1_TAG, envelope)
  const chain = certificateChain(message)
  const signer = chain === null ? null : listSigner(chain, 'vical', terms)
  const algorithm = signer === null ? null : algorithmOfKey(signer.key)
  const { payload } = message
  if (chain === null || signer === null || algorithm === null || payload === null) return UNSIGNED
  if (!isSignedWith(message, { algorithm, key: signer.key }, payload)) return UNSIGNED
  const vical = contentOf(payload, cborBudget(itemsMax))
  return isCborMap(vical) ? interpret(vical, chain, terms.now) : NO_VICAL
}

/** null if it is not CBOR, which is then other data of the signer. Throws MalformedCbor if it is longer than the budget. */
function contentOf(payload: Uint8Array, budget: CborBudget): CborValue {
  try {
    const content = decodeCbor(payload, budget)
    return isCborEmbedded(content) ? decodeCbor(content.embedded, budget) : content
  } catch (error) {
    if (!(error instanceof MalformedCbor) || budget.itemsLeft < 0) throw error
    return null
  }
}

function interpret(vical: CborMap, signerChain: readonly Uint8Array[], now: number): ListReading {
  const issuer = vical.get('vicalProvider')
  const issuedAt = dateOf(vical.get('date'))
  const sequence = vical.get('vicalIssueID')
  const nextUpdate = vical.get('nextUpdate')
  const until = nextUpdate === undefined ? null : dateOf(nextUpdate)
  const infos = vical.get('certificateInfos')
  if (typeof issuer !== 'string' || !isCborArray(infos)) return NO_VICAL
  if (issuedAt === null) return refused('the VICAL lacks its date')
  if (nextUpdate !== undefined && until === null) return refused('the VICAL has a malformed date of its next update')
  if (sequence !== undefined && typeof sequence !== 'number') return refused('the VICAL has a malformed number')
  const endsAt = endOf(issuedAt, until)
  const fault = currencyFault({ issuedAt, endsAt }, now)
  if (fault !== null) return refused(fault)
  const entries = infos.map(readInfo)
  // The unreadable entry could be the one that changed, so the whole list is refused.
  if (!entries.every((entry) => entry !== null)) return refused('the VICAL has an entry that cannot be read')
  const list = { issuer: showableName(issuer), sequence: sequence ?? null, issuedAt, endsAt, entries, ended: [] }
  return { outcome: 'read', signerChain, list }
}

function readInfo(info: CborValue): ListEntry | null {
  if (!isCborMap(info)) return null
  const certificate = info.get('certificate')
  const types = info.get('docType')
  if (!isCborBytes(certificate) || !isCborArray(types)) return null
  const docTypes = types.filter((type) => typeof type === 'string')
  if (docTypes.length === 0 || docTypes.length !== types.length) return null
  // As many docTypes as a query can name, and as long ones, because each anchor keeps them.
  if (docTypes.length > TYPES_MAX || docTypes.some(({ length }) => length > TYPE_LENGTH_MAX)) return null
  // `*` would mean every type, which a list must not grant itself.
  if (docTypes.includes('*')) return null
  // Control characters could manipulate a terminal.
  if (!docTypes.every(isShowable)) return null
  return { certificate: new Uint8Array(certificate), docTypes, profile: 'iso-mdl' }
}

/** Reads a tdate: tag 0 around a text. */
function dateOf(value: CborValue | undefined): number | null {
  return isCborTag(value) && value.tag === 0 ? instantSeconds(value.value) : null
}

const refused = (detail: string): ListReading => ({ outcome: 'refused', detail })
const NO_VICAL: ListReading = { outcome: 'refused', detail: 'the content is not a VICAL', mismatch: true }
const UNSIGNED = refused('the VICAL is not signed under the certificate that was given for it')
