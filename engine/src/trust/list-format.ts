// Recognizes published lists of another format than the one that is read, such as XML at the address of a list in JSON.

import type { ListKind, RefusedList } from './published-list.ts'

interface Format {
  readonly kind: ListKind
  readonly named: string
  /** Whether a list of this format can begin with this text: one character per byte, without white space before it. */
  readonly begins: RegExp
  /** A name that every list of this format contains. A page or an error of the host does not. */
  readonly marks: readonly string[]
}

const FORMATS: readonly Format[] = [
  { kind: 'tsl', named: 'in XML', begins: /^</, marks: ['TrustServiceStatusList', 'ListOfTrustedEntities'] },
  {
    kind: 'lote',
    named: 'in JSON',
    begins: /^\{|^[\w-]+\.[\w-]/,
    marks: ['ListAndSchemeInformation'],
  },
  // An array of four, with or without the tag of COSE_Sign1.
  { kind: 'vical', named: 'a VICAL', begins: /^\xd2?\x84/, marks: ['vicalProvider'] },
]

/** More than the longest white space and byte order mark before a list, and more than the header of a JWS. */
const BEGINNING_BYTES = 65_536

/** Returns a refusal if the bytes are a list of another format than `kind`; null if they are not. */
export function otherFormatFault(bytes: Uint8Array, kind: ListKind): RefusedList | null {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = data.toString('latin1', 0, BEGINNING_BYTES).replace(/^(?:\xef\xbb\xbf)?\s+|^\xef\xbb\xbf/, '')
  const format = FORMATS.find(({ begins }) => begins.test(start))
  const own = FORMATS.find((one) => one.kind === kind)
  if (format === undefined || own === undefined || format === own) return null
  const content = format.kind === 'lote' ? contentOfLote(data, start) : data
  if (!format.marks.some((mark) => content.includes(mark))) return null
  const detail = `the list is ${format.named}, and was imported as one that is ${own.named}`
  return { outcome: 'refused', detail, mismatch: true }
}

/** Returns what was signed, or the JSON itself. The signature is not verified. */
function contentOfLote(data: Buffer, start: string): Buffer {
  if (start.startsWith('{')) return data
  const [, payload = ''] = data.toString('latin1').split('.', 2)
  return Buffer.from(payload, 'base64url')
}
