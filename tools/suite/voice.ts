// Turns of phrase that no English catalogue of the screens may have: they read as translated.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const CATALOGUES = /(?:^|\/)(?:en|words-en)\.ts$|\/words\/en\/[^/]+\.ts$/
const BANNED = /\b(?:somebody|nobody|anew|whoever|stands?|told)\b/i
/** A text, not a name or a comment. */
const TEXTS = /'(?:[^'\\\n]|\\.)*'(?!:)|`(?:[^`\\]|\\.)*`/g

export function voiceProblems(root: string, files: readonly string[]): string[] {
  return files
    .filter((file) => CATALOGUES.test(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          line.trimStart().startsWith('//')
            ? []
            : (line.match(TEXTS) ?? [])
                .filter((text) => BANNED.test(text))
                .map((text) => `${file}:${index + 1} says "${BANNED.exec(text)?.[0]}": write as the field writes`),
        ),
    )
}
