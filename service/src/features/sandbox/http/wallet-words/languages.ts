// The languages of the test wallet: those of the hosted page.

import type { Language } from '../../../../../../labels/catalogue.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { nl } from './nl.ts'
import type { WalletWords } from './words.ts'

export const WALLET_WORDS: Readonly<Record<Language, WalletWords>> = { en, de, fr, it, es, nl }
