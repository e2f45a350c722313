// Mints VICALs (ISO 18013-5 Annex C) of a provider that exists for one test.

import { createIssuer, mintAuthority, mintSigner } from '@vidimus/wallet'
import { type CborValue, encodeCbor, mapOf, Tagged } from '../../../wallet/src/encoding/cbor.ts'
import { coseSign1, LABEL, x5chain } from '../../../wallet/src/encoding/cose.ts'

interface VicalEntry {
  readonly docTypes: readonly string[]
  /** Absent: that of its own issuer. */
  readonly certificate?: Uint8Array
}

const derOf = ({ certificate }: { readonly certificate: string }) => new Uint8Array(Buffer.from(certificate, 'base64'))
const iso = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')

export function vicalFactory(now: number) {
  const period = { notBefore: now - 1_000, notAfter: now + 10_000_000 }
  const authority = mintAuthority({ commonName: 'List authority' }, period)
  const signer = mintSigner(authority, { commonName: 'List signer' }, period)
  const issuer = createIssuer({ base: 'https://issuer.example', now, name: 'Another issuer' })
  return {
    signer: derOf(signer),
    /** In base64. */
    signerText: signer.certificate,
    listOf(entries: readonly VicalEntry[]): Uint8Array {
      const content = mapOf({
        version: '1.0',
        vicalProvider: 'Provider',
        date: new Tagged(0, iso(now - 60)),
        vicalIssueID: 7,
        nextUpdate: new Tagged(0, iso(now + 86_400)),
        certificateInfos: entries.map(({ docTypes, certificate = derOf(issuer.mdoc.authority) }) =>
          mapOf({
            certificate,
            serialNumber: new Tagged(2, Uint8Array.of(1)),
            ski: Uint8Array.of(1),
            docType: [...docTypes],
          }),
        ),
      })
      const protectedHeader = new Map<CborValue, CborValue>([[LABEL.algorithm, -7]])
      const [header, , payload, signature] = coseSign1({
        protectedHeader,
        payload: encodeCbor(content),
        key: signer.key,
      })
      const unprotected = new Map<CborValue, CborValue>([[LABEL.x5chain, x5chain([derOf(signer)])]])
      return encodeCbor([header ?? null, unprotected, payload ?? null, signature ?? null])
    },
  }
}
