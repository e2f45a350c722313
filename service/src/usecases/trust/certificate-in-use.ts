// Who do we say we are to a wallet? The access key of a tenant's environment, and the client_id it gives. Where nobody
// installed a certificate, one is made under a private authority, and made again before it ends.

import { type ClientIdPrefix, requestChainFault } from '@vidimus/engine'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Realm } from '../../domain/tenant/realm.ts'
import { hostOf, type OpenedCertificate } from '../../domain/trust/certificate.ts'
import { ENVIRONMENTS } from '../../domain/world.ts'
import { openCertificate } from '../../store/trust/certificate-memory.ts'
import { listAllCertificates, type SealedCertificate } from '../../store/trust/certificates.ts'
import { generateCertificate, mustBeRenewed } from './generate-certificate.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'random' | 'sealer' | 'config' | 'certificates' | 'metrics'>

/** The client_id that a new verification of this tenant carries. */
export async function clientIdFor(deps: Needs, realm: Realm & { prefix: ClientIdPrefix }): Promise<string> {
  const key = await currentKey(deps, realm)
  if (realm.prefix === 'x509_hash') return key.hashClientId
  const host = hostOf(deps.config.baseUrl)
  // OpenID4VP §5.9.3: a wallet sends its answer only to the host that the certificate names.
  if (!key.hosts.includes(host)) {
    deps.metrics.alarms.inc({ alarm: 'access_certificate_names_another_host' })
    throw new Refusal('unavailable', {
      message: "The service's access certificate does not name its address.",
      retryAfterSeconds: 60,
    })
  }
  return `x509_san_dns:${host}`
}

/** The key whose certificate a verification's client_id names; it may have been replaced since the creation. */
export async function signerFor(deps: Needs, realm: Realm & { clientId: string }): Promise<OpenedCertificate> {
  const keys = await deps.certificates.find(realm.tenantId, realm.environment, deps.clock.now())
  const found =
    keys.find((key) => key.hashClientId === realm.clientId) ?? keys.find((key) => names(key, realm.clientId))
  if (found === undefined) throw new Error('bug: no access key bears the client_id of a verification')
  return demandValid(deps, found)
}

/** At start: every certificate in use belongs to its key and may stand in a request (HAIP §5). Empty when all is well. */
export async function certificateFaults(deps: Needs): Promise<string[]> {
  const own = (await currentKeys(deps)).filter(({ tenantId }) => tenantId === null)
  for (const environment of ENVIRONMENTS) {
    if (!own.some((key) => key.environment === environment)) await generateCertificate(deps, environment)
  }
  return (await currentKeys(deps)).flatMap((sealed) => {
    const whose = `${sealed.tenantId ?? 'the service'} (${sealed.environment})`
    try {
      const key = openCertificate(sealed, deps.sealer)
      // Whether it is valid now is watched, not refused: other tenants go on.
      const fault = requestChainFault(key.chain, key.privateKey, validMoment(key, deps.clock.now()) / 1000)
      return fault === null ? [] : [`access certificate of ${whose}: ${fault}`]
    } catch {
      return [
        `access certificate of ${whose}: its key cannot be opened; is VIDIMUS_MASTER_KEY the one it was sealed with?`,
      ]
    }
  })
}

async function currentKeys(deps: Pick<Deps, 'db'>): Promise<SealedCertificate[]> {
  return (await listAllCertificates(deps.db)).filter((key) => key.installedAt !== null && key.retiredAt === null)
}

const currentKey = async (deps: Needs, realm: Realm) => demandValid(deps, await keyOf(deps, realm))

async function keyOf(deps: Needs, { tenantId, environment }: Realm): Promise<OpenedCertificate> {
  const nowMs = deps.clock.now()
  const [first] = await deps.certificates.find(tenantId, environment, nowMs)
  const usable = first !== undefined && first.retiredAt === null && !mustBeRenewed(first, nowMs, deps.config.baseUrl)
  if (usable) return first
  await generateCertificate(deps, environment)
  deps.certificates.forget()
  const [made] = await deps.certificates.find(tenantId, environment, nowMs)
  if (made === undefined) throw new Error('bug: an access key that was just made is not there')
  return made
}

/** A wallet would refuse the request; the merchant learns it at once instead of from its customers. */
function demandValid(deps: Pick<Deps, 'clock' | 'metrics'>, key: OpenedCertificate): OpenedCertificate {
  const nowMs = deps.clock.now()
  if (key.validFromMs <= nowMs && nowMs <= key.validUntilMs) return key
  deps.metrics.alarms.inc({ alarm: 'access_certificate_not_valid' })
  throw new Refusal('unavailable', {
    message: "The service's access certificate is not valid now.",
    retryAfterSeconds: 60,
  })
}

function names(key: OpenedCertificate, clientId: string): boolean {
  const prefix = 'x509_san_dns:'
  return clientId.startsWith(prefix) && key.hosts.includes(clientId.slice(prefix.length))
}

const validMoment = (key: OpenedCertificate, nowMs: number) =>
  Math.min(Math.max(nowMs, key.validFromMs), key.validUntilMs)
