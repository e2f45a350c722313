// What stands within a line of Markdown: code, links, strong and stressed words.

import { escapeHtml } from '../../../platform/http/escape-html.ts'

/** The address of a link's target; null where it leads to nothing that is shown here. */
export type Resolve = (target: string) => string | null

const PARTS =
  /(?<ticks>`+)(?<code>.+?)\k<ticks>|\[(?<label>(?:`[^`]*`|[^[\]`])+)\]\((?<target>[^)\s]+)\)|\*\*(?<strong>(?:`[^`]*`|[^`])+?)\*\*|\*(?<stress>[^*\s](?:[^*]*[^*\s])?)\*|<(?<address>https?:\/\/[^>\s]+)>/gs

export function renderInline(source: string, resolve: Resolve): string {
  let html = ''
  let at = 0
  for (const match of source.matchAll(PARTS)) {
    html += escapeHtml(source.slice(at, match.index))
    at = match.index + match[0].length
    html += renderPart(match.groups ?? {}, resolve)
  }
  return html + escapeHtml(source.slice(at))
}

function renderPart(part: Record<string, string | undefined>, resolve: Resolve): string {
  const { code, label, target, strong, stress, address } = part
  if (code !== undefined) return `<code>${escapeHtml(code)}</code>`
  if (strong !== undefined) return `<strong>${renderInline(strong, resolve)}</strong>`
  if (stress !== undefined) return `<em>${renderInline(stress, resolve)}</em>`
  if (address !== undefined) return `<a href="${escapeHtml(address)}">${escapeHtml(address)}</a>`
  const words = renderInline(label ?? '', resolve)
  const href = resolve(target ?? '')
  return href === null ? words : `<a href="${escapeHtml(href)}">${words}</a>`
}

/** The same without any marks. */
export function textOf(source: string): string {
  return source.replaceAll(PARTS, (...found) => {
    const { code, label, strong, stress, address } = found.at(-1) as Record<string, string | undefined>
    return code ?? address ?? textOf(label ?? strong ?? stress ?? '')
  })
}
