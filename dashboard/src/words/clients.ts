// The words of the pages of OpenID clients in every language, loaded with the pages.

import { deClients } from './de/clients.ts'
import { enClients } from './en/clients.ts'

export const clientWords = { en: enClients, de: deClients }
