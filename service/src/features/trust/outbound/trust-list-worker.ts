// The worker thread of trust-list-reader.ts. It parses published lists and their certificates.

import { hash, X509Certificate } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { type ListEntry, type ListReading, parseLote, parseTrustedList, parseVical } from '@vidimus/engine'
import { lowerPriority } from '../../../platform/threads/thread-priority.ts'
import type { ThreadJob, ThreadReply } from '../../../platform/threads/thread-turns.ts'
import { anchorFacts } from '../domain/anchor-facts.ts'
import type { ListedAuthority, ParsedTrustList, TrustListBytes } from './trust-list-reader.ts'

lowerPriority()

parentPort?.on('message', ({ id, input }: ThreadJob<TrustListBytes>) => {
  parentPort?.postMessage({ id, output: parse(input) } satisfies ThreadReply<ParsedTrustList>)
})

function parse(input: TrustListBytes): ParsedTrustList {
  const read = parseAs(input)
  if (read.outcome === 'refused') return { ...read, code: read.mismatch === true ? 'list_mismatch' : 'list_unfit' }
  const { list, signerChain } = read
  const { entries, ended, ...about } = list
  const { entriesMax } = input.bounds
  const count = entries.length + ended.length
  // Refused before any certificate is parsed.
  if (count > entriesMax) {
    const detail = `the list names ${count} authorities, and may name ${entriesMax}`
    return { outcome: 'refused', code: 'list_too_long', detail }
  }
  return {
    outcome: 'parsed',
    about,
    signerChain: signerChain?.map((one) => new Uint8Array(one)) ?? null,
    entries: entries.map(authorityOf),
    ended: ended.map(authorityOf),
    sha256: hash('sha256', input.bytes, 'buffer'),
  }
}

function parseAs({ bytes, kind, terms, bounds }: TrustListBytes): ListReading {
  const { signer } = terms
  if (kind === 'lote') return parseLote(bytes, { ...terms, signer, valuesMax: bounds.values })
  if (signer === null) throw new Error('bug: a list without the certificate of its signer')
  return kind === 'tsl'
    ? parseTrustedList(bytes, { ...terms, signer, elementsMax: bounds.elements })
    : parseVical(bytes, { ...terms, signer, itemsMax: bounds.items })
}

/** The certificate is copied: it may be a view of a larger buffer, which would be sent with it. */
function authorityOf({ certificate, docTypes, profile }: ListEntry): ListedAuthority {
  const facts = anchorFacts(certificate)
  const isAuthority = facts !== null && new X509Certificate(certificate).ca
  return { certificate: new Uint8Array(certificate), docTypes, profile, facts, isAuthority }
}
