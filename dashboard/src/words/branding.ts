// The words of the branding page in every language, loaded with the page.

import { deBranding } from './de/branding.ts'
import { enBranding } from './en/branding.ts'

export const brandingWords = { en: enBranding, de: deBranding }
