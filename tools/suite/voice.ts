// Refuses words that read as translated, in English catalogues, messages, comments, test titles and guides; and vague names.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const CATALOGUES = /(?:^|\/)(?:en|words-en)\.ts$|\/words\/en\/[^/]+\.ts$/
const BANNED = /\b(?:somebody|nobody|anew|whoever|stands?|told)\b/i
/** Matches texts, not names or comments. */
const TEXTS = /'(?:[^'\\\n]|\\.)*'(?!:)|`(?:[^`\\]|\\.)*`/g

/** Files whose texts reach merchants, operators and developers: refusals, logs, commands, metrics, schemas. */
const MESSAGES = /^(?:service\/src|engine\/src|wire|tools(?!\/test)|sdk\/[^/]+\/src)\//
/** Matches texts of at least two words, because a single word is a name. */
const MESSAGE_TEXTS = /'(?:[^'\\\n]|\\.)* (?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)* (?:[^"\\\n]|\\.)*"|`[^`]* [^`]*`/g
/** "nobody" in quotation marks is the account of that name. */
const NOBODY = /\b(?:somebody|anybody|everybody|whoever|whosever)\b|(?<!")\bnobody\b(?!")/
const ARCHAIC =
  /\b(?:anew|afresh|thrice|alike|in vain|be had|all the same|told (?:apart|from)|gone back to|ask(?:s|ed)? of)\b/
/** "is no", where English says "is not a". */
const NO_NOUN =
  /(?<!\bthere )\b(?:is|are|was|were) no (?!(?:longer|more|less|later|such|other|further|matter|one|if|when|and|or)\b)[a-z]+/
const BANNED_IN_COMMENTS = new RegExp([NOBODY, ARCHAIC, NO_NOUN].map(({ source }) => source).join('|'), 'i')
const BANNED_IN_MESSAGES = new RegExp(`\\b(?:stands?|told)\\b|${BANNED_IN_COMMENTS.source}`, 'i')

const TEST_TITLE = /^(?:await )?(?:test|it|describe|suite)\(/

const VAGUE = '(?:given|made|asked|told|held|said|way|beside)'
/** Matches vague names of variables and parameters. Members of a JSON body may have these names. */
const BANNED_NAMES = new RegExp(
  `\\b(?:const|let) ${VAGUE}\\b|\\(${VAGUE}(?:: |\\) =>)|^${VAGUE}: \\{ readonly|: ${VAGUE}(?:,| \\}).* (?:=|of) `,
)
const STRING = /'(?:[^'\\\n]|\\.)*'/g

/** The files of the SDKs in Go, PHP and Python. */
export function foreignFiles(root: string): string[] {
  return readdirSync(join(root, 'sdk'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:go|php|py)$/.test(file) && !/(?:^|\/)(?:node_modules|vendor|build)\//.test(file))
    .map((file) => join('sdk', file))
}

/** The guides, without CONTRIBUTING.md, which shows bad examples, and without the licences of fonts. */
export function guideFiles(root: string): string[] {
  const guides = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && file !== 'font-licences.md')
    .map((file) => join('docs', file))
  return ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'SECURITY.md', ...guides]
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
  if (file.endsWith('.md')) return wordOf(BANNED_IN_MESSAGES, text.replace(/`[^`]*`|\]\([^)]*\)/g, ''))
  if (/^(?:\/\/|\/\*\*|\*|# )/.test(text)) return wordOf(BANNED_IN_COMMENTS, text)
  if (TEST_TITLE.test(text))
    return (line.match(MESSAGE_TEXTS) ?? []).flatMap((found) => wordOf(BANNED_IN_MESSAGES, found))
  const name = wordOf(BANNED_NAMES, text.replace(STRING, "''"))
  return [...name, ...bannedInTexts(line, file)]
}

function bannedInTexts(line: string, file: string): string[] {
  if (CATALOGUES.test(file)) return (line.match(TEXTS) ?? []).flatMap((found) => wordOf(BANNED, found))
  if (!MESSAGES.test(file)) return []
  return (line.match(MESSAGE_TEXTS) ?? []).flatMap((found) => wordOf(BANNED_IN_MESSAGES, found))
}

const wordOf = (banned: RegExp, text: string): string[] => {
  const [word] = banned.exec(text) ?? []
  return word === undefined ? [] : [word]
}
