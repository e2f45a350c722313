// The words of the pages of links in every language, loaded with the pages.

import { deLinks } from './de/links.ts'
import { enLinks } from './en/links.ts'

export const linkWords = { en: enLinks, de: deLinks }
