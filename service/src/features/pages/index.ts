// The public interface of pages for other features.

export type { BrandLook } from './domain/branding/branding.ts'
export { agreementLines } from './http/agreement-lines.ts'
export { type Assets, loadAssets } from './http/assets.ts'
export { type Brand, brandLinks, brandOf, brandPart, NO_LOGO_URLS } from './http/brand.ts'
export { languageLinks } from './http/language-links.ts'
export { type Page, sendPage } from './http/layout.ts'
export { questionPart } from './http/question-part.ts'
export { drawSample } from './http/sample-page.ts'
export { shopLookOf } from './http/shop-look.ts'
export { chooseLanguage, LABELS, WORDS } from './http/words/languages.ts'
export { readBranding } from './usecases/manage-branding.ts'
export { readHostedPage, type ShownQuestion, shownQuestion } from './usecases/read-hosted-page.ts'
