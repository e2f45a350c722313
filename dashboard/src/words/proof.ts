// The words of the page that checks receipts and exports in every language, loaded with the page.

import { deProof } from './de/proof.ts'
import { enProof } from './en/proof.ts'

export const proofWords = { en: enProof, de: deProof }
