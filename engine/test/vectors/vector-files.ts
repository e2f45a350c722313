// Finds the public vectors, which are next to the repository, not in it.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../../shared/vectors/', import.meta.url))

/** Returns the parsed JSON of one vector file; null, with a message, if there are no vectors. */
export function readVectors(path: string): unknown {
  const file = ROOT + path
  if (!existsSync(file)) return skipped()
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Names and parsed JSON of every .json file in a folder of vectors. */
export function readVectorFolder(path: string): { readonly name: string; readonly vector: unknown }[] {
  const folder = ROOT + path
  if (!existsSync(folder)) {
    skipped()
    return []
  }
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return names.map((name) => ({ name, vector: JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')) }))
}

/** Paths of every file below a folder of vectors. */
export function listVectors(path: string): string[] {
  if (!existsSync(ROOT + path)) {
    skipped()
    return []
  }
  const entries = readdirSync(ROOT + path, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
}

function skipped(): null {
  console.log('skipped: no vectors')
  return null
}
