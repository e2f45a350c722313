// Measures responses whose authority has a revocation list of maximum length: the first response, later ones, and one without a list.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { formBody } from '@vidimus/wallet'
import { base64, mintPresentation, VCT } from '../../engine/test/sdjwt/mint-presentation.ts'
import { mintCrl } from '../../engine/test/status/mint-status.ts'
import { extension, keyUsage, type Minted } from '../../engine/test/trust/mint-certificate.ts'
import { mintAuthority, mintSigner } from '../../engine/test/trust/mint-pki.ts'
import { openWorld } from '../../service/src/assemble.ts'
import { addAnchor } from '../../service/src/features/trust/usecases/manage-anchors.ts'
import { readConfig } from '../../service/src/platform/config/config.ts'
import type { AttackOptions, AttackReport } from '../attack-stage/attack.ts'
import { beginVerification } from '../attack-stage/verification.ts'

export const about = 'a revocation list of 4.8 megabytes behind every credential'

const ENTRIES = 150_000
const RESPONSES = 30

export async function run({ url, attackerKeys: [key = ''], cpu, own }: AttackOptions): Promise<AttackReport> {
  if (own === null)
    throw new Error('this attack needs a service of its own: an anchor is installed, and its CPU measured')
  const authority = mintAuthority({ subject: { CN: 'An authority that revoked much' } })
  const crl = longList(authority)
  const server = createServer((_request, answer) => {
    answer.setHeader('content-type', 'application/pkix-crl')
    answer.end(crl)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    await trust(authority, own, url)
    const [revocable, plain] = [signerOf(authority, `http://127.0.0.1:${port}/crl`), signerOf(authority, null)]
    const present = async (signer: Minted, count: number) => {
      const answers = []
      for (let i = 0; i < count; i += 1) answers.push(await prepared(url, key, signer))
      const before = cpu()
      for (const post of answers) await post()
      return `${((cpu() - before) / count).toFixed(1)} ms of CPU`
    }
    // Warms up, so that compiling the code is not counted.
    await present(plain, RESPONSES)
    const without = await present(plain, RESPONSES)
    return {
      'bytes of the list': crl.length,
      'a response without a list': without,
      'the first response with it': await present(revocable, 1),
      [`each of the next ${RESPONSES}`]: await present(revocable, RESPONSES),
    }
  } finally {
    server.close()
  }
}

/** Each entry takes thirty-two octets. */
function longList(by: Minted): Buffer {
  const revoked = Array.from({ length: ENTRIES }, (_, index) => {
    const serial = Buffer.alloc(11, 0x5a)
    serial.writeUInt32BE(index, 7)
    return { serial }
  })
  const day = (days: number) => `${new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, '')}`
  return mintCrl({ by, revoked, thisUpdate: day(-1), nextUpdate: day(30) })
}

function signerOf(by: Minted, crlAt: string | null): Minted {
  const extensions = [extension.noAuthority(), extension.keyUsage(keyUsage.digitalSignature)]
  return mintSigner(by, crlAt === null ? { extensions } : { extensions: [...extensions, extension.crlAt(crlAt)] })
}

async function trust(authority: Minted, own: NonNullable<AttackOptions['own']>, url: string): Promise<void> {
  const config = readConfig({ ...own.env, PORT: new URL(url).port, VIDIMUS_LOG_LEVEL: 'silent' })
  const world = await openWorld(config, () => undefined)
  try {
    const added = await addAnchor(world.deps, {
      owner: { tenantId: own.attackerTenant, environment: 'test' },
      kind: 'ca',
      profile: 'generic',
      types: [`dc+sd-jwt:${VCT}`],
      certificate: authority.der,
      actor: { type: 'system', id: 'attack' },
    })
    if (added.outcome === 'refused') throw new Error(added.problem)
  } finally {
    await world.close()
  }
}

/** Prepares a verification and its answer, because only sending the response is measured. */
async function prepared(url: string, key: string, signer: Minted): Promise<() => Promise<void>> {
  const { id, request } = await beginVerification(url, key, VCT)
  const now = Math.floor(Date.now() / 1000)
  const presentation = mintPresentation({
    signWith: signer.privateKey,
    header: (header) => ({ ...header, x5c: [base64(signer.der)] }),
    payload: (payload) => ({ ...payload, iat: now - 3600, exp: now + 86_400 }),
    binding: (claims) => ({ ...claims, nonce: request.nonce, aud: request.clientId, iat: now }),
  })
  const body = await formBody(request, { vpToken: { it: [presentation] } })
  return async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await fetch(`${url}/wallet/response/${id}`, { method: 'POST', headers, body })
    if (answer.status !== 200) throw new Error(`the response was answered with ${answer.status}`)
    const found = await fetch(`${url}/v1/verifications/${id}`, { headers: { authorization: `Bearer ${key}` } })
    const { status } = (await found.json()) as { status: string }
    if (status !== 'completed') throw new Error(`the verification is ${status}`)
  }
}
