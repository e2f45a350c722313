// Limits how many dependencies a use case may name. A use case that needs more does several jobs.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sourceFiles } from '../imports.ts'

const MEMBERS_MAX = 8

export const needsProblems = (root: string): string[] =>
  sourceFiles(root, 'service/src').flatMap((file) => largePicks(file, readFileSync(join(root, file), 'utf8')))

export function largePicks(file: string, source: string): string[] {
  return [...source.matchAll(/\bPick<\s*Deps,([^>]*)>/g)].flatMap(({ 1: members = '', index }) => {
    const count = members.match(/'\w+'/g)?.length ?? 0
    const line = source.slice(0, index).split('\n').length
    return count <= MEMBERS_MAX ? [] : [`${file}:${line} picks ${count} of Deps, more than ${MEMBERS_MAX}`]
  })
}
