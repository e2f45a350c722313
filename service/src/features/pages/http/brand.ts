// A merchant's brand on the hosted page: its name with logo or first letter, its colour as a stylesheet, its links.

import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { Branding } from '../domain/branding/branding.ts'
import { brandColours } from '../domain/branding/colour.ts'
import type { Words } from './words/words.ts'

export interface Brand {
  /** The shown name. */
  readonly name: string
  /** The merchant's name in this service, if it differs. */
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

/** Depends only on the colour: shared by all merchants that use it, and cached forever. */
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
