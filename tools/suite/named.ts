// Checks that only a few files of the service use words that belong to another subject.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sourceFiles } from '../imports.ts'

interface OwnedWords {
  readonly what: string
  /** Whether the words also count in comments and texts. */
  readonly words: RegExp
  /** The subject's own files. */
  readonly own: RegExp
  /** How many other files may use the words. */
  readonly othersMax: number
  readonly instead: string
}

export const OWNED_WORDS: readonly OwnedWords[] = [
  {
    what: "audit's chains, heads and MACs",
    words:
      /audit[ _-](?:chain|head)|[hH]ead(?:s|Key)?(?:With)?Macs?\b|\bAuditHead\b|\baudit\.macs\b|\b(?:[Hh]eads? of (?:a|an|the|its|this|that) (?:audit )?chain|chain's head)\b|import[^;']*\b\w*(?:Chain|Head|Mac)\w*\b[^;']*from '[^']*\/audit\/[^']*'/,
    own: /\/audit(?:\/|[\w-]*\.ts$)/,
    othersMax: 3,
    instead: 'use `deps.audit`; outside of audit the word is "trail"',
  },
  {
    what: 'the sealer',
    words: /[sS]ealer/,
    // Row mappers, the store that carries the sealer, the places that open the store, and the change of the master key.
    own: new RegExp(
      [
        /\/(?:core|features)\/[\w-]+\/store\//,
        /\/platform\/seal\//,
        /\/platform\/postgres\/(?:db\.ts$|sealing\/)/,
        /^service\/src\/(?:assemble|inspection)\.ts$/,
        /\/features\/operator\/usecases\/(?:keep-derived-keys|rotate-master-key)\.ts$/,
      ]
        .map(({ source }) => source)
        .join('|'),
    ),
    othersMax: 0,
    instead: 'seal and open in a row mapper (`store/`), which gives and takes plain values',
  },
  {
    what: 'lru-cache',
    words: /'lru-cache'|\bLRUCache\b/,
    own: /\/platform\/cache\.ts$/,
    othersMax: 0,
    instead: 'there is one cache: `createCache` of platform/cache.ts',
  },
]

export function namedProblems(root: string, table: readonly OwnedWords[] = OWNED_WORDS): string[] {
  const files = sourceFiles(root, 'service/src').map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  return table.flatMap((owned) => ownedProblems(files, owned))
}

export function ownedProblems(
  files: readonly { readonly file: string; readonly text: string }[],
  { what, words, own, othersMax, instead }: OwnedWords,
): string[] {
  const others = files.filter(({ file, text }) => !own.test(file) && words.test(text)).map(({ file }) => file)
  if (files.length > 0 && !files.some(({ file, text }) => own.test(file) && words.test(text)))
    return [`no file names ${what}: tools/suite/named.ts looks for the wrong words`]
  return others.length <= othersMax
    ? []
    : [`${others.length} files name ${what}, at most ${othersMax} may: ${others.join(', ')}. ${instead}`]
}
