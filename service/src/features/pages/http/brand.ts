// A merchant's look on the hosted page: its name with logo or first letter, its colour as a stylesheet, its links.

import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { Branding } from '../domain/branding/branding.ts'
import { brandColours } from '../domain/branding/colour.ts'
import type { Words } from './words/words.ts'

export interface Brand {
  /** As it is shown. */
  readonly name: string
  /** As the merchant is known here, where that is another one. */
  readonly onBehalfOf: string | null
  readonly colour: string | null
  readonly logoUrl: string | null
  readonly supportUrl: string | null
  readonly privacyUrl: string | null
}

export function brandOf(branding: Branding, tenant: string, logoUrl: string | null): Brand {
  const { name, colour, supportUrl, privacyUrl } = branding
  const shown = name ?? tenant
  return { name: shown, onBehalfOf: shown === tenant ? null : tenant, colour, logoUrl, supportUrl, privacyUrl }
}

/** Of that colour alone: the same for everybody who has it, and kept for ever. */
export const colourPath = (colour: string) => `/assets/colour/${colour.slice(1)}.css`

export function colourStyle(colour: string): string {
  const { background, onBackground, onLight, onDark } = brandColours(colour)
  return `:root{--brand:${background};--on-brand:${onBackground};--accent:light-dark(${onLight},${onDark})}\n`
}

export function brandPart(brand: Brand, words: Words): string {
  const [first = ''] = brand.name.match(/[\p{L}\p{N}]/u) ?? []
  const mark =
    brand.logoUrl === null
      ? `<span class="letter" aria-hidden="true">${escapeHtml(first.toUpperCase())}</span>`
      : `<img class="logo" src="${escapeHtml(brand.logoUrl)}" alt="">`
  const behind = brand.onBehalfOf === null ? '' : `<small>${escapeHtml(words.onBehalfOf(brand.onBehalfOf))}</small>`
  return `<p class="brand">${mark}<span>${escapeHtml(brand.name)}${behind}</span></p>`
}

export function brandLinks(brand: Brand, words: Words): string {
  const link = (url: string | null, text: string) =>
    url === null ? '' : `<a href="${escapeHtml(url)}" rel="noopener noreferrer" target="_blank">${escapeHtml(text)}</a>`
  return `${link(brand.supportUrl, words.support)}${link(brand.privacyUrl, words.privacyPolicy)}`
}
