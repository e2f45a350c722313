// Writes the types of webhook events from the service's table into the SDKs and docs/webhooks.md.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EVENTS } from '../service/src/features/webhooks/domain/event.ts'

const ROOT = join(import.meta.dirname, '..')
const BEGIN = 'event types, written by "node tools/generate-event-types.ts"'
const END = 'end of event types'

const TYPES = Object.keys(EVENTS)

/** The generated text of each file, which goes between its two marker lines. */
export const EVENT_LISTS: Readonly<Record<string, string>> = {
  'docs/webhooks.md': `\n| type | when |\n|---|---|\n${Object.entries(EVENTS)
    .map(([type, when]) => `| \`${type}\` | ${when} |\n`)
    .join('')}\n`,
  'sdk/typescript/src/webhook.ts': `/** The types that this version of the SDK knows; \`verifyWebhook\` returns others as \`unknown\`. */\nexport const WEBHOOK_EVENT_TYPES = ${inTypeScript()} as const\n`,
  'sdk/python/vidimus/webhook.py': `#: The types that this version knows. Other events have only their \`\`payload\`\`.\nWEBHOOK_EVENT_TYPES = (\n${TYPES.map((type) => `    "${type}",\n`).join('')})\n`,
  'sdk/php/src/Webhook.php': `    /** The types that this version knows. Other events have only their payload. */\n    private const TYPES = [\n${TYPES.map((type) => `        '${type}',\n`).join('')}    ];\n`,
  'sdk/go/webhook.go': inGo(),
}

/** Writes a list on one line if it fits, like the formatter. */
function inTypeScript(): string {
  const line = `[${TYPES.map((type) => `'${type}'`).join(', ')}]`
  return line.length < 75 ? line : `[\n${TYPES.map((type) => `  '${type}',\n`).join('')}]`
}

/** Constants aligned like gofmt: `EventCompleted` for `verification.completed`. */
function inGo(): string {
  const names = TYPES.map(
    (type) =>
      `Event${type.replace(/^verification\./, '').replace(/(^|[._])([a-z])/g, (_, _before, letter: string) => letter.toUpperCase())}`,
  )
  const width = Math.max(...names.map(({ length }) => length))
  const constants = names.map((name, at) => `\t${name.padEnd(width)} = "${TYPES[at]}"\n`).join('')
  return `
// The events that this version knows.
const (
${constants})

func isKnownEvent(name string) bool {
\tswitch name {
\tcase ${names.join(', ')}:
\t\treturn true
\t}
\treturn false
}

`
}

/** Returns the file's text with the current list. */
export async function withEventList(path: string): Promise<string> {
  const text = await readFile(join(ROOT, path), 'utf8')
  const place = new RegExp(`(${BEGIN}[^\\n]*\\n)[^]*?([^\\n]*${END})`)
  if (!place.test(text)) throw new Error(`${path} has no place for event types`)
  return text.replace(place, (_, begin: string, end: string) => begin + EVENT_LISTS[path] + end)
}

if (import.meta.main) {
  for (const path of Object.keys(EVENT_LISTS)) await writeFile(join(ROOT, path), await withEventList(path))
}
