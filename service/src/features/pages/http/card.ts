// GET /verify/{id}/card: what the element on a merchant's page shows of a verification, as text in the reader's language.

import { Type } from 'typebox'
import type { Language } from '../../../../../labels/catalogue.ts'
import { VerificationCard } from '../../../../../wire/wallet.ts'
import { standingOf } from '../../../core/verifications/domain/browser-binding.ts'
import { OPEN_STEPS } from '../../../core/verifications/domain/progress.ts'
import type { Deps } from '../../../deps.ts'
import { Refusal } from '../../../platform/errors.ts'
import { withoutKey } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { spendBudget } from '../../../platform/http/bounds/budget.ts'
import { isVerificationId } from '../../../platform/ids.ts'
import { brandColours, type ThemeColours } from '../domain/branding/colour.ts'
import { readBranding } from '../usecases/manage-branding.ts'
import { type HostedVerification, readHostedPage } from '../usecases/read-hosted-page.ts'
import { agreementLines, onlyPaymentOf, paymentRows } from './agreement-lines.ts'
import { type Brand, brandOf, NO_LOGO_URLS } from './brand.ts'
import { receivedItems } from './question-part.ts'
import { endWords, headingOf } from './verification-page.ts'
import { chooseLanguage, WORDS } from './words/languages.ts'

export function addCard(routes: App, deps: Deps): void {
  const schema = {
    hide: true,
    params: Type.Object({ id: Type.String() }),
    querystring: Type.Object({ lang: Type.Optional(Type.String()) }),
    response: { 200: VerificationCard },
  }
  routes.get('/verify/:id/card', { ...withoutKey(deps), schema }, async (request, reply) => {
    const { id } = request.params
    // Any page may read it: it is sent no cookie, and the id is the capability, as for the hosted page.
    reply.header('Access-Control-Allow-Origin', '*')
    if (!isVerificationId(id)) throw new Refusal('session_not_found')
    await spendBudget(deps, reply, { name: 'verification', key: id, budget: deps.config.rates.verification })
    const verification = await readHostedPage(deps, id)
    const isOpen = OPEN_STEPS.has(verification.step)
    // As the hosted page refuses: a sign-in has no page but ours, and a browser that holds it shares nothing with others.
    const isElsewhere = isOpen && standingOf(verification.browser, null) === 'elsewhere'
    if (verification.browser.isSignIn || isElsewhere) throw new Refusal('session_mismatch')
    return cardOf(deps, verification, chooseLanguage(request.query.lang, request.headers['accept-language']))
  })
}

async function cardOf(deps: Deps, verification: HostedVerification, language: Language): Promise<VerificationCard> {
  const words = WORDS[language]
  const branding = await readBranding(deps, verification)
  const brand = brandOf(branding, verification.merchant, NO_LOGO_URLS)
  const { step, purpose, transaction, environment, expiresAtMs, nowMs } = verification
  const isOpen = OPEN_STEPS.has(step)
  const payment = onlyPaymentOf(transaction)
  const agreed = transaction.flatMap((one) => agreementLines(one, language))
  return {
    step,
    heading: headingOf(verification, { language, brand }),
    purpose: isOpen ? purpose : null,
    facts: payment === null ? agreed.map((value) => ({ name: '', value })) : paymentRows(payment, language),
    receives: { title: words.receives(brand.name), items: isOpen ? [...receivedItems(verification, language)] : [] },
    seconds_left: Math.max(0, Math.floor((expiresAtMs - nowMs) / 1000)),
    test: environment === 'test' ? words.test : null,
    end: endOf(verification, { language, brand }),
    colours: branding.colour === null ? null : coloursOf(branding.colour),
  }
}

/** No page but the hosted one can prove that it is the holder's: why a check failed is said only there. */
function endOf(verification: HostedVerification, { language, brand }: { language: Language; brand: Brand }) {
  const { step, reason } = verification
  // The merchant's page goes on by itself, or offers a new one: there is nothing to close and no link to ask for.
  const isPlain = OPEN_STEPS.has(step) || step === 'completed' || (step === 'expired' && reason === null)
  return isPlain ? null : endWords(step, verification, { language, brand, mayKnowReason: false })
}

function coloursOf(colour: string): VerificationCard['colours'] {
  const { light, dark } = brandColours(colour)
  const shown = ({ onButton, edge, accent }: ThemeColours) => ({ button: colour, on_button: onButton, edge, accent })
  return { light: shown(light), dark: shown(dark) }
}
