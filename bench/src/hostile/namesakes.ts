// Builds untrusted certificate chains that match as many anchors as tenants may install: all have one name and no key identifier.

import { generateKeyPairSync } from 'node:crypto'
import { type Anchor, type Budget, createChainCache, type Trust, verifyPresentation } from '@vidimus/engine'
import * as sdJwt from '../../../engine/test/sdjwt/mint-presentation.ts'
import { extension, keyUsage, mintCertificate } from '../../../engine/test/trust/mint-certificate.ts'
import { mintAuthority } from '../../../engine/test/trust/mint-pki.ts'
import { many } from './identities.ts'
import type { Hostile } from './world.ts'

/** As many as a tenant may install: five lists of 500 anchors. */
const ANCHORS = 2_500
const subject = { CN: 'Namesake', C: 'UT' }
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })

export function namesakes(): readonly Hostile[] {
  const trust: Trust = { ...sdJwt.trust, haip: false, anchors: anchors(), cache: createChainCache(5_000) }
  const serverAuth = extension.purposes(['2b06010505070301'])
  return [
    chainsUnder(trust, 'six certificates for another purpose', [extension.noAuthority(), serverAuth]),
    chainsUnder(trust, 'six certificates that may sign', [extension.noAuthority()]),
  ]
}

function anchors(): Anchor[] {
  return Array.from({ length: ANCHORS }, (_, at) => {
    const serial = Buffer.alloc(5, 1)
    serial.writeUInt32BE(at + 1, 1)
    const id = Buffer.alloc(20, 7)
    id.writeUInt32BE(at, 0)
    const extensions = [extension.authority(), extension.keyUsage(keyUsage.authority), extension.subjectKeyId(id)]
    return { ...sdJwt.anchor, certificate: mintAuthority({ subject, key, serial, extensions }).der }
  })
}

function chainsUnder(trust: Trust, kind: string, leaf: readonly Uint8Array[]): Hostile {
  const impostor = mintAuthority({ subject })
  const x5c = many(6, (at) => {
    const extensions = at === 0 ? [...leaf] : [extension.authority()]
    return sdJwt.base64(mintCertificate({ subject, serial: Buffer.of(at + 1), key, extensions }, impostor).der)
  })
  const identity = many(1, () => sdJwt.mintPresentation({ header: (header) => ({ ...header, x5c }) }))
  const judge = async (body: Uint8Array, budget: Budget) => {
    const vpToken = JSON.parse(Buffer.from(body).toString()) as { identity: string[] }
    const verdict = await verifyPresentation(vpToken, sdJwt.expected, trust, budget)
    return verdict.outcome === 'accepted' ? 'accepted' : verdict.code
  }
  return { kind: `${ANCHORS} anchors of one name: ${kind}`, body: Buffer.from(JSON.stringify({ identity })), judge }
}
