// The words of the webhook pages in every language, loaded with the pages.

import { deWebhooks } from './de/webhooks.ts'
import { enWebhooks } from './en/webhooks.ts'

export const webhookWords = { en: enWebhooks, de: deWebhooks }
