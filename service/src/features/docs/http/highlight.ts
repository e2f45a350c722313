// Highlights comments, strings, keywords and numbers in code, in one pass, for the languages of the guides.

import { escapeHtml } from '../../../platform/http/escape-html.ts'

const WORDS: Readonly<Record<string, string>> = {
  ts: 'as async await class const export for from function if import in let new of return try catch throw type typeof null true false undefined',
  python: 'as def except for from if import in is not return try raise with None True False and or print',
  php: 'use new try catch if echo exit require function return null true false',
  go: 'func if err nil return range for import package defer var true false',
  sh: 'curl npm node vidimus export pip composer go psql docker',
  json: 'true false null',
}
const SAME: Readonly<Record<string, string>> = {
  csharp: 'ts',
  html: 'ts',
  yaml: 'python',
  curl: 'sh',
  typescript: 'ts',
}
/** In a shell, a hash begins a comment only at the start of a line or after a blank: addresses contain a hash, too. */
const COMMENTS: Readonly<Record<string, string>> = {
  ts: String.raw`\/\/[^\n]*|\/\*.*?\*\/|<!--.*?-->`,
  php: String.raw`\/\/[^\n]*`,
  go: String.raw`\/\/[^\n]*`,
  python: String.raw`#[^\n]*`,
  sh: String.raw`(?<=^|\s)#[^\n]*`,
}
const TEXT = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\x60(?:\\.|[^\x60\\])*\x60`

export function highlight(code: string, language: string): string {
  const name = SAME[language] ?? language
  const words = WORDS[name]
  if (words === undefined) return escapeHtml(code)
  const comment = COMMENTS[name] ?? '(?!)'
  // `//` in an address is not a comment.
  const pattern = new RegExp(
    String.raw`(?<address>https?:\/\/[^\s"'<>]+)|(?<comment>${comment})|(?<text>${TEXT})|(?<word>(?<![\w$.-])(?:${words.replaceAll(' ', '|')})(?![\w-]))|(?<number>(?<![\w.-])\d+(?:\.\d+)?(?![\w-]))`,
    'gms',
  )
  let html = ''
  let at = 0
  for (const match of code.matchAll(pattern)) {
    html += escapeHtml(code.slice(at, match.index))
    at = match.index + match[0].length
    const [kind = 'text'] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? []
    html += kind === 'address' ? escapeHtml(match[0]) : `<span class="${kind[0]}">${escapeHtml(match[0])}</span>`
  }
  return html + escapeHtml(code.slice(at))
}
