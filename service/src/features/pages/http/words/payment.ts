// The words of a payment in each language.

import type { Language } from '../../../../../../labels/catalogue.ts'
import { de } from './payment/de.ts'
import { en } from './payment/en.ts'
import { es } from './payment/es.ts'
import { fr } from './payment/fr.ts'
import { it } from './payment/it.ts'
import { nl } from './payment/nl.ts'
import type { PaymentWords } from './payment/payment-words.ts'

export const PAYMENT_WORDS: Readonly<Record<Language, PaymentWords>> = { en, de, fr, it, es, nl }
