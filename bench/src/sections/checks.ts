// Measures the cost of each check of the engine: `npm run bench -- checks`.

import { FLOOR, mdocWork, sdJwtWork, type Work } from '../engine.ts'
import { type Frame, type Profiled, profile } from './profile.ts'

/** Verifications before the profile: the compiler finishes the last functions after some fifteen thousand. */
const WARM_UP = 15_000
const VERIFICATIONS = 8_000

/** The check that each function makes. The innermost matching frame counts. */
const CHECK_OF: Readonly<Record<string, string>> = {
  readVpToken: 'the answer is read by the query',
  checkForm: 'well_formed',
  certificatesOf: 'issuer_certificate_present',
  certificateChain: 'issuer_certificate_present',
  judgeChain: 'issuer_trusted',
  trustFault: 'issuer_trusted',
  signatureFault: 'issuer_signature_valid',
  checkDisclosures: 'disclosures_valid, digests_valid',
  digestFault: 'disclosures_valid, digests_valid',
  validityFault: 'within_validity',
  readProof: 'holder_signature_valid',
  holderKeyOf: 'holder_key_present',
  requestFault: 'bound_to_request',
  coverageFault: 'bound_to_presentation',
  checkDevice: 'holder_signature_valid',
  judgeAnswer: 'query_answered, authority_requested',
  settleStatus: 'not_revoked, signer_not_revoked',
  accept: 'conclusion',
}
const OTHER = 'other'
const GARBAGE = 'garbage collector'
const LABELS = [...new Set(Object.values(CHECK_OF)), OTHER, GARBAGE]

function checkOf(stack: readonly Frame[]): string {
  if (stack[0]?.name === '(garbage collector)') return GARBAGE
  const frame = stack.find(({ name, url }) => url.includes('/engine/src/') && Object.hasOwn(CHECK_OF, name))
  return frame === undefined ? OTHER : (CHECK_OF[frame.name] ?? OTHER)
}

type Formats = Readonly<Record<'SD-JWT VC' | 'mdoc', { readonly ours: Profiled; readonly floor: Profiled }>>

export async function benchChecks(): Promise<Formats> {
  return { 'SD-JWT VC': await profileBoth(sdJwtWork()), mdoc: await profileBoth(mdocWork()) }
}

async function profileBoth(works: Readonly<Record<string, Work>>) {
  const run = async (name: string) => {
    const work = works[name]
    for (let i = 0; i < WARM_UP; i += 1) await work?.()
    return profile(async () => {
      for (let i = 0; i < VERIFICATIONS; i += 1) await work?.()
    }, checkOf)
  }
  const ours = Object.keys(works).find((name) => name.startsWith('Vidimus')) ?? ''
  return { floor: await run(FLOOR), ours: await run(ours) }
}

export function renderChecks(formats: Formats): string {
  const each = Object.entries(formats)
  const micros = (value: number) => (value / VERIFICATIONS).toFixed(1)
  const rows = LABELS.map((label) => [label, ...each.map(([, { ours }]) => micros(ours.byLabel.get(label) ?? 0))])
  const all = ['**together**', ...each.map(([, { ours }]) => micros(ours.micros))]
  const floor = ['the floor: two signatures, one key import', ...each.map(([, { floor }]) => micros(floor.micros))]
  return `## Microseconds of each check

Written by \`npm run bench -- checks\`. CPU time of one verification in microseconds, by the check that it was spent for, after ${WARM_UP.toLocaleString('en')} verifications. Sampled: tenths are within the error, and the
profiler adds to everything. The floor was not measured in turns with them, so the totals give no ratio.

| check | ${each.map(([format]) => format).join(' | ')} |
|---|${'---|'.repeat(each.length)}
| ${[...rows, all, floor].map((row) => row.join(' | ')).join(' |\n| ')} |
`
}
