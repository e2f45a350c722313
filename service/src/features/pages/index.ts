// The public interface of pages for other features.

export type { BrandLook } from './domain/branding/branding.ts'
export { type ShownTransaction, shownOf } from './domain/shown-transaction.ts'
export { agreementLines, amountText, onlyPaymentOf, type ShownPayment } from './http/agreement-lines.ts'
export { brandOfAsker } from './http/asker-brand.ts'
export { type Assets, loadAssets } from './http/assets.ts'
export { type Brand, brandLinks, brandOf, brandPart, footerPart, NO_LOGO_URLS } from './http/brand.ts'
export { type Drawing, drawingOf } from './http/drawing.ts'
export { fontFaces } from './http/fonts.ts'
export { languageLinks } from './http/language-links.ts'
export { type Page, sendPage } from './http/layout.ts'
export { row as noteRow } from './http/note-rows.ts'
export { questionPart } from './http/question-part.ts'
export { drawSample } from './http/sample-page.ts'
export { shopLookOf } from './http/shop-look.ts'
export { subjectOf } from './http/step-part.ts'
export { busyAsPage, goBackPart } from './http/stop-pages.ts'
export { headingOf } from './http/verification-page.ts'
export { chooseLanguage, LABELS, WORDS } from './http/words/languages.ts'
export { readProgress } from './usecases/follow-progress.ts'
export { readBranding } from './usecases/manage-branding.ts'
export {
  type HostedVerification,
  readHostedPage,
  type ShownQuestion,
  shownQuestion,
} from './usecases/read-hosted-page.ts'
