// Chooses the language for a visitor.

import { LANGUAGES, type Language } from './catalogue.ts'

/** Browsers send less. Anyone can send 16 kB of commas, and pages are also written for requests that a budget refused. */
const HEADER_LENGTH = 256

/** The visitor's choice precedes the browser's preference. English if neither is supported. */
export function chooseLanguage(chosen: string | undefined, acceptLanguage: string | undefined): Language {
  const all = acceptLanguage ?? ''
  // Without the last member where the cut is, because it could have lost its quality.
  const read = all.length > HEADER_LENGTH ? all.slice(0, all.lastIndexOf(',', HEADER_LENGTH)) : all
  const preferred = read
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';')
      const quality = parameters.map((text) => /^\s*q=([\d.]+)$/.exec(text)?.[1]).find((text) => text !== undefined)
      return { tag: tag.toLowerCase(), quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag.split('-')[0])
  return (
    [chosen, ...preferred]
      .map((tag) => LANGUAGES.find((known) => known === tag))
      .find((known) => known !== undefined) ?? 'en'
  )
}
