// Refuses words that read as translated: in English catalogues, messages, comments and test titles; and names that say nothing.

import { readdirSync, readFileSync } from 'node:fs'
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

const TEST_TITLE = /^(?:await )?(?:test|it|describe|suite)\(/
/** Their titles are still to be rewritten. */
const UNREAD_TITLES =
  /^(?:service\/test\/(?:oidc|retention|trust)\/|engine\/test\/(?:trust|status)\/|service\/test\/usecases\/(?:audit|replay-erasures)\.test|service\/test\/browser\/sign-in-relay\.test)/

/** As variables and as first parameters, outside of tests. Members of a JSON body may have these names. */
const BANNED_NAMES =
  /\b(?:const|let) (?:given|made|asked|told|held|way|beside)\b|\((?:given|made|asked|told|held|way|beside)(?:: |\) =>)/
const TESTS = /(?:^|\/)test\//
/** Their names are still to be changed. */
const UNREAD_NAMES = new Set([
  'bench/src/hostile/own-chains.ts',
  'service/src/features/oidc/usecases/token-claims.ts',
  'service/src/features/retention/usecases/make-days.ts',
])

/** The files of the SDKs in Go, PHP and Python. */
export function foreignFiles(root: string): string[] {
  return readdirSync(join(root, 'sdk'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:go|php|py)$/.test(file) && !/(?:^|\/)(?:node_modules|vendor|build)\//.test(file))
    .map((file) => join('sdk', file))
}

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
  if (/^(?:\/\/|\/\*\*|\*|# )/.test(text)) return wordOf(BANNED_IN_COMMENTS, text)
  if (TEST_TITLE.test(text) && !UNREAD_TITLES.test(file))
    return (line.match(MESSAGE_TEXTS) ?? []).flatMap((found) => wordOf(BANNED_IN_MESSAGES, found))
  const name = TESTS.test(file) || UNREAD_NAMES.has(file) ? [] : wordOf(BANNED_NAMES, text)
  return [...name, ...bannedInTexts(line, file)]
}

function bannedInTexts(line: string, file: string): string[] {
  if (CATALOGUES.test(file)) return (line.match(TEXTS) ?? []).flatMap((found) => wordOf(BANNED, found))
  if (!MESSAGES.test(file) || UNREAD_MESSAGES.has(file)) return []
  return (line.match(MESSAGE_TEXTS) ?? []).flatMap((found) => wordOf(BANNED_IN_MESSAGES, found))
}

const wordOf = (banned: RegExp, text: string): string[] => {
  const [word] = banned.exec(text) ?? []
  return word === undefined ? [] : [word]
}
