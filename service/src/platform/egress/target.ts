// Resolves a URL to its target and refuses forbidden targets before anything is sent.

import { addressBytes } from '../cidr.ts'
import { type AddressReason, classifyAddress } from './address.ts'
import type { EgressPolicy } from './policy.ts'
import { type After, type DnsReason, resolveHost } from './resolve.ts'
import { type CheckedUrl, checkUrl, type UrlReason } from './url.ts'

export type DeniedReason =
  | UrlReason
  | `resolved_${AddressReason}`
  | 'resolved_port'
  | 'resolved_single_label'
  | 'too_many_answers'

export type Target =
  /** At least one address, in the order to try them. */
  | { readonly outcome: 'located'; readonly url: CheckedUrl; readonly addresses: readonly Uint8Array[] }
  | { readonly outcome: 'egress_denied'; readonly reason: DeniedReason }
  | { readonly outcome: 'dns_failure'; readonly reason: DnsReason }

export interface TargetContext {
  readonly policy: EgressPolicy
  readonly dnsServers: readonly string[] | undefined
  readonly after: After
}

type TargetVerdict = { readonly outcome: 'ok' } | { readonly outcome: 'refused'; readonly reason: DeniedReason }

const CREATION_DNS_MILLISECONDS = 1000
const ANSWERS_MAX = 16

/**
 * Checks a URL when it is registered. Accepts a DNS failure or a late answer, because each delivery checks the URL
 * again.
 */
export async function checkTarget(context: TargetContext, text: string): Promise<TargetVerdict> {
  const target = await locate(context, text, CREATION_DNS_MILLISECONDS)
  return target.outcome === 'egress_denied' ? { outcome: 'refused', reason: target.reason } : { outcome: 'ok' }
}

export async function locate(context: TargetContext, text: string, dnsMilliseconds: number): Promise<Target> {
  const checked = checkUrl(text, context.policy)
  if (checked.outcome === 'refused') return { outcome: 'egress_denied', reason: checked.reason }
  const { url } = checked
  if (url.address !== null) return { outcome: 'located', url, addresses: [url.address] }
  if (url.host === 'localhost') return judgeAnswers(url, loopbackAddresses(context.policy), context.policy)
  const resolution = await resolveHost(url.host, {
    servers: context.dnsServers,
    after: context.after,
    budgetMilliseconds: dnsMilliseconds,
  })
  if (resolution.outcome === 'failed') return { outcome: 'dns_failure', reason: resolution.reason }
  return judgeAnswers(url, resolution.addresses, context.policy)
}

const LOOPBACK = ['127.0.0.1', '::1'] as const

/** RFC 6761 6.3: `localhost` is not looked up. If none of its addresses is allowed, returns both, to be refused. */
function loopbackAddresses(policy: EgressPolicy): readonly string[] {
  const allowed = LOOPBACK.filter((address) => classifyAddress(address, policy).allowed)
  return allowed.length > 0 ? allowed : LOOPBACK
}

/** One forbidden address refuses the name: a name with internal and public addresses is broken or hostile. */
function judgeAnswers(url: CheckedUrl, answers: readonly string[], policy: EgressPolicy): Target {
  if (answers.length > ANSWERS_MAX) return { outcome: 'egress_denied', reason: 'too_many_answers' }
  const addresses: Uint8Array[] = []
  for (const text of answers) {
    const bytes = addressBytes(text)
    const verdict = classifyAddress(bytes ?? text, policy)
    if (bytes === null || !verdict.allowed) {
      const reason = verdict.allowed ? 'not_an_address' : verdict.reason
      return { outcome: 'egress_denied', reason: `resolved_${reason}` }
    }
    if (url.onlyAllowListed !== null && verdict.by !== 'allow_list')
      return { outcome: 'egress_denied', reason: `resolved_${url.onlyAllowListed}` }
    addresses.push(bytes)
  }
  return { outcome: 'located', url, addresses: alternateFamilies(addresses) }
}

/** Alternates IPv4 and IPv6. A machine with only one of them then soon tries an address that it can reach. */
function alternateFamilies(addresses: readonly Uint8Array[]): readonly Uint8Array[] {
  const ipv4 = addresses.filter((address) => address.length === 4)
  const ipv6 = addresses.filter((address) => address.length === 16)
  const longest = Math.max(ipv4.length, ipv6.length)
  return Array.from({ length: longest }, (_, i) => [ipv4[i], ipv6[i]])
    .flat()
    .filter((address) => address !== undefined)
}
