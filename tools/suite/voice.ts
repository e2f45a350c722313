// Refuses turns of phrase that read as translated: in the English catalogues of the screens, and in comments of the code.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const CATALOGUES = /(?:^|\/)(?:en|words-en)\.ts$|\/words\/en\/[^/]+\.ts$/
const BANNED = /\b(?:somebody|nobody|anew|whoever|stands?|told)\b/i
/** A text, not a name or a comment. */
const TEXTS = /'(?:[^'\\\n]|\\.)*'(?!:)|`(?:[^`\\]|\\.)*`/g

/** Their comments are still to be rewritten. */
const UNREAD = /^(?:dashboard|till)\//
/** "nobody" in quotation marks is the account of that name. */
const BANNED_IN_COMMENTS = /\b(?:somebody|anybody|everybody|anew|whoever|whosever)\b|(?<!")\bnobody\b(?!")/i

export function voiceProblems(root: string, files: readonly string[]): string[] {
  return files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        bannedIn(line, file).map((word) => `${file}:${index + 1} says "${word}": write as the field writes`),
      ),
  )
}

function bannedIn(line: string, file: string): string[] {
  const text = line.trimStart()
  if (/^(?:\/\/|\/\*\*|\*)/.test(text)) return UNREAD.test(file) ? [] : wordOf(BANNED_IN_COMMENTS, text)
  return CATALOGUES.test(file) ? (line.match(TEXTS) ?? []).flatMap((found) => wordOf(BANNED, found)) : []
}

const wordOf = (banned: RegExp, text: string): string[] => {
  const [word] = banned.exec(text) ?? []
  return word === undefined ? [] : [word]
}
