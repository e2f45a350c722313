// Limits the size of the service: lines of code, lines of one SQL text, types of a verification.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sourceFiles, withoutComments } from '../imports.ts'

interface Source {
  readonly file: string
  readonly text: string
}

/**
 * Lines by folder. The goal for all of the service is 57,000: lower its number when code is removed, and raise it only for a
 * new feature.
 */
const LINES_MAX: Readonly<Record<string, number>> = { 'service/src/core/': 15_000, 'service/src/': 94_410 }
const SQL_LINES_MAX = 40
const SHAPES_MAX = 6

export function sizeProblems(root: string): string[] {
  const files = sourceFiles(root, 'service/src').map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  return [...lineProblems(files), ...files.flatMap(longSql), ...shapeProblems(files)]
}

export function lineProblems(files: readonly Source[], linesMax = LINES_MAX): string[] {
  return Object.entries(linesMax).flatMap(([folder, max]) => {
    const own = files.filter(({ file }) => file.startsWith(folder))
    const lines = own.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
    if (files.length > 0 && own.length === 0)
      return [`${folder} holds no code: tools/suite/sizes.ts names a wrong folder`]
    return lines <= max ? [] : [`${folder} has ${lines} lines of code, at most ${max} may be (tools/suite/sizes.ts)`]
  })
}

const TEMPLATE = /`(?:[^`\\]|\\.)*`/g
const SQL = /^`\s*(?:with|select|insert|update|delete)\b/i

/** A longer statement is composed of named parts, each of them a function or a fragment. */
export function longSql({ file, text }: Source): string[] {
  return [...withoutComments(text).matchAll(TEMPLATE)].flatMap(({ 0: template, index }) => {
    const lines = template.split('\n').length
    if (!SQL.test(template) || lines <= SQL_LINES_MAX) return []
    return [`${file}:${text.slice(0, index).split('\n').length} SQL has ${lines} lines, more than ${SQL_LINES_MAX}`]
  })
}

/** The maximum of types of a verification, because a reader of core has to distinguish them. */
export function shapeProblems(files: readonly Source[]): string[] {
  const shapes = files
    .filter(({ file }) => file.startsWith('service/src/core/'))
    .flatMap(({ text }) => [...text.matchAll(/^(?:export )?(?:interface|type) (\w*Verification)\b/gm)])
    .map(([, name = '']) => name)
  return shapes.length <= SHAPES_MAX
    ? []
    : [`core has ${shapes.length} types of a verification, at most ${SHAPES_MAX} may be: ${shapes.join(', ')}`]
}
