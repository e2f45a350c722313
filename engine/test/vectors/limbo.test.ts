// Tests with X.509 limbo that our path validation agrees with RFC 5280 on every applicable case.

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { newBudget } from '../../src/limits.ts'
import { createChainCache } from '../../src/trust/cache.ts'
import { type Certificate, MalformedCertificate, parseCertificate } from '../../src/trust/certificate.ts'
import { checkPath, type SignerRule } from '../../src/trust/path.ts'
import { readVectors } from './vector-files.ts'

interface LimboCase {
  readonly id: string
  readonly trusted_certs: readonly string[]
  readonly untrusted_intermediates: readonly string[]
  readonly peer_certificate: string
  readonly validation_time: string | null
  readonly extended_key_usage: readonly string[]
  readonly expected_result: 'SUCCESS' | 'FAILURE'
}

const NO_DEPTH = 'the length limit of a chain is ours and fixed, not given by the caller'
const NO_KEY_IDS = 'key identifiers must agree if both are present; if one is absent, the signature still decides'
const NO_CONSTRAINTS = 'name constraints are not processed: a path that carries them is refused, never followed'
const ANY_SERIAL = 'serial numbers of real document signers break the rule for authorities; readers are to be graceful'
const READ_ANYWAY = 'basic constraints are read and bind whether or not they are marked critical'
const NO_PEER_NAME = 'a credential signer is not a TLS server: its alternative names are not compared with a host'

/** Cases whose expectation we do not share, each with the reason. All other cases must agree. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  'pathlen::max-chain-depth-0-exhausted': NO_DEPTH,
  'pathlen::max-chain-depth-1-exhausted': NO_DEPTH,
  'rfc5280::aki::leaf-missing-aki': NO_KEY_IDS,
  'rfc5280::aki::intermediate-missing-aki': NO_KEY_IDS,
  'rfc5280::aki::cross-signed-root-missing-aki': NO_KEY_IDS,
  'rfc5280::ski::root-missing-ski': NO_KEY_IDS,
  'rfc5280::ski::intermediate-missing-ski': NO_KEY_IDS,
  'rfc5280::root-non-critical-basic-constraints': READ_ANYWAY,
  'rfc5280::serial::too-long': ANY_SERIAL,
  'rfc5280::serial::zero': ANY_SERIAL,
  'rfc5280::serial::negative': ANY_SERIAL,
  'rfc5280::nc::permitted-dns-match': NO_CONSTRAINTS,
  'rfc5280::nc::permitted-dns-match-more': NO_CONSTRAINTS,
  'rfc5280::nc::permitted-ipv4-match': NO_CONSTRAINTS,
  'rfc5280::nc::permitted-ipv6-match': NO_CONSTRAINTS,
  'rfc5280::nc::permitted-dn-match': NO_CONSTRAINTS,
  'rfc5280::nc::permitted-self-issued': NO_CONSTRAINTS,
  'rfc5280::nc::permitted-different-constraint-type': NO_CONSTRAINTS,
  'rfc5280::nc::excluded-different-constraint-type': NO_CONSTRAINTS,
  'rfc5280::nc::nc-forbids-alternate-chain-ica': NO_CONSTRAINTS,
  'rfc5280::nc::nc-permits-email-exact': NO_CONSTRAINTS,
  'rfc5280::nc::nc-permits-email-domain': NO_CONSTRAINTS,
  'rfc5280::nc::nc-permits-email-literal-asterisk-exact-match': NO_CONSTRAINTS,
  'rfc5280::nc::nc-permits-email-literal-double-asterisk': NO_CONSTRAINTS,
  'rfc5280::nc::nc-permits-email-literal-mid-asterisk': NO_CONSTRAINTS,
  'rfc5280::nc::nc-forbids-othername-noop': NO_CONSTRAINTS,
  'rfc5280::san::malformed': NO_PEER_NAME,
  'rfc5280::san::underscore-dns': NO_PEER_NAME,
  'rfc5280::san::ip-in-dns': NO_PEER_NAME,
  'rfc5280::ca-as-leaf-wrong-san': NO_PEER_NAME,
}

/** Validation time of the cases that name none: inside the validity of the generated certificates. */
const NOW = Date.parse('2026-01-01T00:00:00Z') / 1000
const PURPOSES: Readonly<Record<string, string>> = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' }

const limbo = readVectors('x509-limbo/limbo-generated.json') as { testcases: readonly LimboCase[] } | null
const cases = (limbo?.testcases ?? []).filter(({ id }) => /^(rfc5280|pathlen|pathological)::/.test(id))

test('X.509 limbo: every applicable rfc5280, pathlen and pathological case is judged as expected', () => {
  const applicable = cases.filter(({ id }) => !Object.hasOwn(NOT_APPLICABLE, id))
  const wrong = applicable.filter((vector) => holds(vector) !== (vector.expected_result === 'SUCCESS'))
  assert.deepEqual(
    wrong.map(({ id }) => id),
    [],
  )
  console.log(`limbo: ${applicable.length} cases agree, ${cases.length - applicable.length} do not apply`)
})

test('X.509 limbo: a case that does not apply because of name constraints is refused, never accepted', () => {
  const constrained = cases.filter(({ id }) => NOT_APPLICABLE[id] === NO_CONSTRAINTS)
  assert.deepEqual(constrained.filter(holds), [])
})

test('X.509 limbo: every case listed as not applicable exists', () => {
  const ids = new Set(cases.map(({ id }) => id))
  assert.deepEqual(cases.length === 0 ? [] : Object.keys(NOT_APPLICABLE).filter((id) => !ids.has(id)), [])
})

/** Limbo gives a set of intermediates, and we need a path. A case is valid if a path of some intermediates, in any order, is valid. */
function holds(vector: LimboCase): boolean {
  const at = vector.validation_time === null ? NOW : Date.parse(vector.validation_time) / 1000
  const signer = read(vector.peer_certificate)
  const intermediates = vector.untrusted_intermediates.map(read).filter((certificate) => certificate !== null)
  const anchors = vector.trusted_certs.map(read).filter((certificate) => certificate !== null)
  if (signer === null) return false
  const cache = createChainCache(100)
  const rules = { signer: tlsRule(vector.extended_key_usage), cache, budget: newBudget() }
  const orders = intermediates.length > 4 ? [intermediates] : arrangements(intermediates)
  return orders.some((order) =>
    anchors.some((anchor) => checkPath({ signer, intermediates: order, anchor }, at, rules) === null),
  )
}

function tlsRule(purposes: readonly string[]): SignerRule {
  const check: SignerRule['check'] = ({ signer }) => {
    const named = signer.extendedKeyUsage?.purposes
    const served = purposes.every((purpose) => named === undefined || named.includes(PURPOSES[purpose] ?? purpose))
    return served ? null : 'another purpose'
  }
  return { name: purposes.join(), check }
}

function read(pem: string): Certificate | null {
  try {
    return parseCertificate(new X509Certificate(pem).raw)
  } catch (error) {
    if (error instanceof MalformedCertificate) return null
    throw error
  }
}

function arrangements<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const longer = items.flatMap((item, index) =>
    arrangements(items.toSpliced(index, 1)).map((rest): readonly Item[] => [item, ...rest]),
  )
  return [[], ...longer]
}
