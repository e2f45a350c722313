// Refuses words that read as translated: in English catalogues, in messages of the code, and in its comments.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const CATALOGUES = /(?:^|\/)(?:en|words-en)\.ts$|\/words\/en\/[^/]+\.ts$/
const BANNED = /\b(?:somebody|nobody|anew|whoever|stands?|told)\b/i
/** A text, not a name or a comment. */
const TEXTS = /'(?:[^'\\\n]|\\.)*'(?!:)|`(?:[^`\\]|\\.)*`/g

/** Files whose texts reach merchants, operators and developers: refusals, logs, commands, metrics, schemas. */
const MESSAGES = /^(?:service\/src|engine\/src|wire|tools(?!\/test)|sdk\/[^/]+\/src)\//
/** Their messages are still to be rewritten. */
const UNREAD_MESSAGES = new Set(['engine/src/trust/access-certificate.ts', 'engine/src/trust/profiles.ts'])
/** Two words at least: one alone is a name. */
const MESSAGE_TEXTS = /'(?:[^'\\\n]|\\.)* (?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)* (?:[^"\\\n]|\\.)*"|`[^`]* [^`]*`/g
/** "nobody" in quotation marks is the account of that name. */
const BANNED_IN_MESSAGES =
  /\b(?:somebody|anybody|everybody|anew|whoever|whosever|stands?|told)\b|(?<!")\bnobody\b(?!")/i

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
  if (/^(?:\/\/|\/\*\*|\*)/.test(text)) return wordOf(BANNED_IN_COMMENTS, text)
  if (CATALOGUES.test(file)) return (line.match(TEXTS) ?? []).flatMap((found) => wordOf(BANNED, found))
  if (!MESSAGES.test(file) || UNREAD_MESSAGES.has(file)) return []
  return (line.match(MESSAGE_TEXTS) ?? []).flatMap((found) => wordOf(BANNED_IN_MESSAGES, found))
}

const wordOf = (banned: RegExp, text: string): string[] => {
  const [word] = banned.exec(text) ?? []
  return word === undefined ? [] : [word]
}
