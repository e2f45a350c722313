// Renders a merchant's brand on the hosted page: name, logo or first letter, stylesheet, links and text.

import type { Language } from '../../../../../labels/catalogue.ts'
import { escapeHtml } from '../../../platform/http/escape-html.ts'
import type { Branding } from '../domain/branding/branding.ts'
import { stylePathOf } from './brand-style.ts'
import { languageLinks } from './language-links.ts'
import type { Words } from './words/words.ts'

export interface Brand {
  /** The displayed name. */
  readonly name: string
  /** The merchant's legal name, if it differs. */
  readonly legalName: string | null
  /** Addresses of the brand's stylesheets; empty for the default look. */
  readonly styles: readonly string[]
  readonly logoUrl: string | null
  /** For dark screens; null: `logoUrl` is used. */
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
    legalName: shown === tenant ? null : tenant,
    styles,
    ...logos,
    supportUrl,
    privacyUrl,
    helpText,
  }
}

/** Shows the legal name without "on behalf of", which would make one company the processor of another (Art. 28 GDPR). */
export function brandPart(brand: Brand, note: string | null = null): string {
  const lines = [brand.legalName, note].filter((line) => line !== null)
  const behind = lines.map((line) => `<small>${escapeHtml(line)}</small>`).join('')
  return `<p class="brand">${markOf(brand)}<span>${escapeHtml(brand.name)}${behind}</span></p>`
}

/** A single logo is used on light and dark screens. */
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

/** The merchant's own text. */
export const helpPart = ({ helpText }: Brand) =>
  helpText === null ? '' : `<p class="help">${escapeHtml(helpText)}</p>`

/** The merchant's help page. */
export function contactPart({ supportUrl, name }: Brand, words: Words): string {
  return supportUrl === null
    ? ''
    : `<p><a class="button quiet" href="${escapeHtml(supportUrl)}" rel="noopener noreferrer" target="_blank">${escapeHtml(words.contact(name))}</a></p>`
}

interface FooterOptions {
  /** Set to false on a page that answers a form: a language link would load the page without the form's data. */
  readonly languages?: boolean
  /** A query parameter that language links keep. */
  readonly about?: string | null
}

export function footerPart(
  language: Language,
  words: Words,
  brand: Brand | null,
  { languages = true, about = null }: FooterOptions = {},
): string {
  const own = brand === null ? '' : brandLinks(brand, words)
  const links = languages ? languageLinks(words, language, about === null ? {} : { about }) : ''
  return `<footer>${own === '' ? '' : `<p>${own}</p>`}${links}</footer>`
}
