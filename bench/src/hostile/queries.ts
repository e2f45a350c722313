// Builds hostile queries that a merchant may send with a creation.

import { InvalidQuery, parseQuery } from '@vidimus/engine'
import { JSON_BODY_BYTES_MAX } from '../../../service/src/platform/http/body.ts'
import type { Hostile } from './world.ts'

type Part = string | number | null
const CLAIMS = 100

export function queries(): readonly Hostile[] {
  return [
    query(
      'paths that differ in their last name',
      credentials(19, (i) => ['a', `b${i}`]),
    ),
    query(
      'paths that differ in their last element',
      credentials(16, (i) => ['a', null, i]),
    ),
    query(
      'long paths that differ in their last element',
      credentials(5, (i) => ['a', ...zeros(14), i]),
    ),
    query(
      'more long paths than there may be',
      credentials(20, (i) => ['a', ...zeros(14), i]),
    ),
    query('many sets of claims', withSets(5, 6)),
    query('more sets of claims than there may be', withSets(5, 14)),
    query('a wide array of nothing', new Array(120_000).fill(0)),
  ]
}

const zeros = (count: number): Part[] => new Array<Part>(count).fill(0)

function credentials(count: number, pathOf: (claim: number) => readonly Part[]): readonly object[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `c${at}`,
    format: 'dc+sd-jwt',
    meta: { vct_values: ['urn:example'] },
    claims: Array.from({ length: CLAIMS }, (_claim, i) => ({ id: `${i}`, path: pathOf(i) })),
  }))
}

function withSets(count: number, sets: number): readonly object[] {
  const everyClaim = Array.from({ length: CLAIMS }, (_, i) => `${i}`)
  const claimSets = Array.from({ length: sets }, () => everyClaim)
  return credentials(count, (i) => [`a${i}`]).map((credential) => ({ ...credential, claim_sets: claimSets }))
}

function query(kind: string, input: readonly unknown[]): Hostile {
  const body = Buffer.from(JSON.stringify({ query: { credentials: input } }))
  if (body.length > JSON_BODY_BYTES_MAX) throw new Error(`${kind} has more bytes than a creation may have`)
  return { kind: `query: ${kind}`, body, judge: readQuery }
}

async function readQuery(body: Uint8Array): Promise<string> {
  try {
    const { query: input } = JSON.parse(Buffer.from(body).toString()) as { query: unknown }
    parseQuery(input)
    return 'accepted'
  } catch (error) {
    if (error instanceof InvalidQuery) return 'invalid_query'
    throw error
  }
}
