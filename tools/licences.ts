// `npm run licences`: checks the licence of every package in the lock file against the licences we accept.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Licences that require only a notice. */
const ACCEPTED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Zlib',
])
/** Packages under a licence with copyleft for their own files, which we do not change. Each is named here after a review. */
const ACCEPTED_BY_NAME: Readonly<Record<string, readonly string[]>> = {
  // Fonts. They are served unchanged, and docs/font-licences.md has the licence.
  'OFL-1.1': ['@fontsource-variable/*'],
  'MPL-2.0': ['axe-core', 'lightningcss', 'lightningcss-*'],
}

interface LockedPackage {
  readonly license?: string
  readonly link?: boolean
}

/** One line per package that may not be used. */
export function licenceProblems(lockFile: string): string[] {
  const { packages } = JSON.parse(lockFile) as { packages: Record<string, LockedPackage> }
  return Object.entries(packages).flatMap(([path, { license, link }]) => {
    const name = /.*node_modules\/(.+)$/.exec(path)?.[1]
    if (name === undefined || link === true) return []
    if (license === undefined) return [`${path} names no licence`]
    return isAccepted(license, name) ? [] : [`${path} is under ${license}`]
  })
}

/** Accepts an SPDX expression without nesting: one part of `OR` is enough, `AND` needs all. */
function isAccepted(expression: string, name: string): boolean {
  const plain = expression.replace(/^\((.*)\)$/, '$1')
  if (plain.includes(' OR ')) return plain.split(' OR ').some((part) => isAccepted(part, name))
  return plain.split(' AND ').every((licence) => ACCEPTED.has(licence) || isAcceptedByName(licence, name))
}

function isAcceptedByName(licence: string, name: string): boolean {
  const names = Object.hasOwn(ACCEPTED_BY_NAME, licence) ? (ACCEPTED_BY_NAME[licence] ?? []) : []
  return names.some((known) => known === name || (known.endsWith('*') && name.startsWith(known.slice(0, -1))))
}

if (import.meta.main) {
  const problems = licenceProblems(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8'))
  for (const problem of problems) console.error(problem)
  console.log(problems.length === 0 ? 'Every licence is accepted.' : `${problems.length} packages may not be used.`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
