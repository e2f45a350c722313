// A merchant's brand on the hosted page: its name with logo or first letter, its stylesheet, its links and its text.

import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { Branding } from '../domain/branding/branding.ts'
import { stylePathOf } from './brand-style.ts'
import type { Words } from './words/words.ts'

export interface Brand {
  /** The shown name. */
  readonly name: string
  /** The merchant's name in this service, if it differs. */
  readonly onBehalfOf: string | null
  /** The addresses of its stylesheet; empty if it looks as every page does. */
  readonly styles: readonly string[]
  readonly logoUrl: string | null
  /** For dark screens; null: the same. */
  readonly darkLogoUrl: string | null
  readonly supportUrl: string | null
  readonly privacyUrl: string | null
  readonly helpText: string | null
}

export interface LogoUrls {
  readonly logoUrl: string | null
  readonly darkLogoUrl: string | null
}

export const NO_LOGO_URLS: LogoUrls = { logoUrl: null, darkLogoUrl: null }

export function brandOf(branding: Branding, tenant: string, logos: LogoUrls): Brand {
  const { name, supportUrl, privacyUrl, helpText } = branding
  const shown = name ?? tenant
  const style = stylePathOf(branding, 'page')
  const styles = style === null ? [] : [style]
  return {
    name: shown,
    onBehalfOf: shown === tenant ? null : tenant,
    styles,
    ...logos,
    supportUrl,
    privacyUrl,
    helpText,
  }
}

export function brandPart(brand: Brand, words: Words): string {
  const behind = brand.onBehalfOf === null ? '' : `<small>${escapeHtml(words.onBehalfOf(brand.onBehalfOf))}</small>`
  return `<p class="brand">${markOf(brand)}<span>${escapeHtml(brand.name)}${behind}</span></p>`
}

/** A page with one logo shows it on every screen. */
function markOf({ name, logoUrl, darkLogoUrl }: Brand): string {
  const [first = ''] = name.match(/[\p{L}\p{N}]/u) ?? []
  const shown = logoUrl ?? darkLogoUrl
  if (shown === null) return `<span class="letter" aria-hidden="true">${escapeHtml(first.toUpperCase())}</span>`
  const image = `<img class="logo" src="${escapeHtml(shown)}" alt="">`
  return logoUrl === null || darkLogoUrl === null
    ? image
    : `<picture><source srcset="${escapeHtml(darkLogoUrl)}" media="(prefers-color-scheme: dark)">${image}</picture>`
}

export function brandLinks(brand: Brand, words: Words): string {
  const link = (url: string | null, text: string) =>
    url === null ? '' : `<a href="${escapeHtml(url)}" rel="noopener noreferrer" target="_blank">${escapeHtml(text)}</a>`
  return `${link(brand.supportUrl, words.support)}${link(brand.privacyUrl, words.privacyPolicy)}`
}
