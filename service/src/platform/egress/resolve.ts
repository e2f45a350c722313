// Resolves names by queries to the configured servers. Uses no hosts file, search domains, cache or IPv4 spellings.

import { promises } from 'node:dns'

type Resolution =
  | { readonly outcome: 'resolved'; readonly addresses: readonly string[] }
  | { readonly outcome: 'failed'; readonly reason: DnsReason }

export type DnsReason = 'name_not_found' | 'no_address' | 'timed_out' | 'server_failure'

/** Calls `expire` after this many milliseconds; returns a function that cancels. The only clock of this folder. */
export type After = (milliseconds: number, expire: () => void) => () => void

interface ResolveOptions {
  /** As for `Resolver.setServers`; undefined: the servers of the system. */
  readonly servers: readonly string[] | undefined
  readonly after: After
  readonly budgetMilliseconds: number
}

/** A lost datagram is sent again within the time budget. */
const TRY = { timeout: 700, tries: 2 }

/**
 * If one address family fails or is late, the answer for the other family counts: some name servers never answer AAAA.
 * Only addresses that arrived and were checked are connected to.
 */
export async function resolveHost(name: string, options: ResolveOptions): Promise<Resolution> {
  const resolver = new promises.Resolver(TRY)
  if (options.servers !== undefined) resolver.setServers(options.servers)
  const cancelTimeout = options.after(options.budgetMilliseconds, () => resolver.cancel())
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  cancelTimeout()
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length > 0) return { outcome: 'resolved', addresses }
  return { outcome: 'failed', reason: worstReason(answers) }
}

const REASONS: Readonly<Record<string, DnsReason>> = {
  ENOTFOUND: 'name_not_found',
  ENODATA: 'no_address',
  ECANCELLED: 'timed_out',
  ETIMEOUT: 'timed_out',
}

/** Prefers a failed lookup over the answer that the name does not exist. */
function worstReason(answers: readonly PromiseSettledResult<string[]>[]): DnsReason {
  const reasons = answers.map((answer) =>
    answer.status === 'fulfilled' ? 'no_address' : (REASONS[codeOf(answer.reason)] ?? 'server_failure'),
  )
  const order: readonly DnsReason[] = ['timed_out', 'server_failure', 'name_not_found']
  return order.find((reason) => reasons.includes(reason)) ?? 'no_address'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
