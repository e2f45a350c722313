// GET /verify/{id}/card: what the element on a merchant's page shows, as text in the reader's language.

import { Type } from 'typebox'
import type { Language } from '../../../../../labels/catalogue.ts'
import { VerificationCard } from '../../../../../wire/wallet.ts'
import { ownershipOf } from '../../../core/verifications/domain/browser-binding.ts'
import { OPEN_STEPS } from '../../../core/verifications/domain/progress.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { spendOfAddress, withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import { brandColours, type ThemeColours } from '../domain/branding/colour.ts'
import { readBranding } from '../usecases/manage-branding.ts'
import { type HostedVerification, readHostedPage } from '../usecases/read-hosted-page.ts'
import { agreementLines, amountText, onlyPaymentOf } from './agreement-lines.ts'
import { brandOf, NO_LOGO_URLS } from './brand.ts'
import { type Drawing, drawingOf } from './drawing.ts'
import { nationalWallets } from './note-rows.ts'
import { acceptedDocuments, presentedLines, receivedItems, surchargeOfQuestion } from './question-part.ts'
import { endWords, subjectOf } from './step-part.ts'
import { headingOf, noteText, paymentLines } from './verification-page.ts'
import { chooseLanguage } from './words/languages.ts'
import type { StepText, Words } from './words/words.ts'

export function addCard(routes: App, deps: Deps): void {
  const schema = {
    hide: true,
    params: Type.Object({ id: Type.String() }),
    querystring: Type.Object({ lang: Type.Optional(Type.String()) }),
    response: { 200: VerificationCard },
  }
  routes.get('/verify/:id/card', { ...withoutKey(deps), schema }, async (request, reply) => {
    const { id } = request.params
    // Any page may read the card: it needs no cookie, and knowing the id is enough, as for the hosted page.
    reply.header('Access-Control-Allow-Origin', '*')
    if (!isVerificationId(id)) throw new Refusal('session_not_found')
    await spendBudget(deps, reply, { name: 'verification', key: id, budget: deps.config.rates.verification })
    const verification = await readHostedPage(deps, id)
    await spendOfAddress(deps, { request, reply }, surchargeOfQuestion(verification))
    const isOpen = OPEN_STEPS.has(verification.step)
    // Refused like the hosted page: a sign-in is shown on our page only, and a bound verification only in its browser.
    const isElsewhere = isOpen && ownershipOf(verification.browser, null) === 'elsewhere'
    if (verification.browser.isSignIn || isElsewhere) throw new Refusal('session_mismatch')
    return cardOf(deps, verification, chooseLanguage(request.query.lang, request.headers['accept-language']))
  })
}

async function cardOf(deps: Deps, verification: HostedVerification, language: Language): Promise<VerificationCard> {
  const branding = await readBranding(deps, verification)
  const brand = brandOf(branding, verification.merchant, NO_LOGO_URLS)
  // Only the hosted page can prove that it runs in the holder's browser, so only that page shows why a check failed.
  const drawing = drawingOf(verification, { language, brand, mayKnowReason: false })
  const { words } = drawing
  const { step, purpose, transaction, environment, expiresAtMs, nowMs } = verification
  const isOpen = OPEN_STEPS.has(step)
  const payment = onlyPaymentOf(transaction)
  return {
    step,
    heading: isOpen ? headingOf(verification, drawing) : '',
    payment:
      payment === null
        ? null
        : { to: words.agree.payTo(payment.payee), amount: amountText(payment.amount, payment.currency, language) },
    why: words.why + words.colon,
    purpose: isOpen ? purpose : null,
    facts: factsOf(verification, drawing),
    receives: { title: words.receives(brand.name), items: isOpen ? [...receivedItems(verification, language)] : [] },
    note: noteText(words, brand),
    rows: isOpen ? rowsOf(verification, drawing) : [],
    steps: isOpen ? stepsOf(verification, drawing) : null,
    buttons: buttonsOf(words),
    seconds_left: Math.max(0, Math.floor((expiresAtMs - nowMs) / 1000)),
    test: environment === 'test' ? words.test : null,
    end: endOf(verification, drawing),
    colours: branding.colour === null ? null : coloursOf(branding.colour),
  }
}

function factsOf(verification: HostedVerification, drawing: Drawing): VerificationCard['facts'] {
  const { transaction } = verification
  const payment = onlyPaymentOf(transaction)
  const lines =
    payment === null
      ? transaction.flatMap((one) => agreementLines(one, drawing.language))
      : paymentLines(payment, verification, drawing)
  return lines.map((value) => ({ name: '', value }))
}

/** The same rows as on the hosted page. */
function rowsOf(verification: HostedVerification, { words, language }: Drawing): VerificationCard['rows'] {
  const presented = presentedLines(verification, language)
  const accepted = [...acceptedDocuments(verification, language)]
  return [
    ...(presented === null ? [] : [{ title: words.presents, ...presented }]),
    ...(accepted.length === 0 ? [] : [{ title: words.documents, texts: [], items: accepted }]),
    { title: words.noWallet.title, texts: [words.noWallet.text], items: nationalWallets(language) },
  ]
}

function stepsOf(verification: HostedVerification, drawing: Drawing): NonNullable<VerificationCard['steps']> {
  const { words, brand } = drawing
  const renderText = ({ title, text }: StepText) => ({ title, text: text(brand.name) })
  const { waiting, fetched, checking, declined, failed } = words.steps
  return {
    waiting: renderText(waiting),
    fetched: renderText(fetched),
    scanned: renderText(words.scanned),
    checking: renderText(checking),
    completed: renderText(words.done[subjectOf(verification)]),
    declined: renderText(declined),
    failed: renderText(failed),
  }
}

const buttonsOf = ({ sameDevice, codeAgain, walletAgain, tryAgain, tryAnother }: Words) => ({
  open: sameDevice.narrow,
  open_here: sameDevice.wide,
  code_again: codeAgain,
  wallet_again: walletAgain,
  retry: tryAgain,
  retry_failed: tryAnother,
})

function endOf(verification: HostedVerification, drawing: Drawing) {
  const { step, reason } = verification
  // In these steps the merchant's page continues by itself or offers a new verification, so the card needs no advice.
  const isPlain = OPEN_STEPS.has(step) || step === 'completed' || (step === 'expired' && reason === null)
  return isPlain ? null : endWords(step, verification, drawing)
}

function coloursOf(colour: string): VerificationCard['colours'] {
  const { light, dark } = brandColours(colour)
  const shown = ({ onButton, edge, accent }: ThemeColours) => ({ button: colour, on_button: onButton, edge, accent })
  return { light: shown(light), dark: shown(dark) }
}
