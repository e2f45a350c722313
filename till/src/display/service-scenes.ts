// Polls the service for what a customer screen on another device shows.

import { type Look, readLook } from '../look.ts'
import { readLine, readScene, type Scene } from './display-messages.ts'

const ASK_EVERY_MS = 2_000
const ANSWER_WITHIN_MS = 8_000
/** After this long without an answer the code is removed, because it may have expired. */
const SILENCE_MS = 20_000

export interface ServiceScene {
  readonly shop: string | null
  readonly look: Look
  readonly test: boolean
  readonly scene: Scene
}

interface Telling {
  readonly token: string
  /** null: no till is connected to this screen. */
  readonly onScene: (next: ServiceScene | null) => void
  /** Whether a till in this browser already controls the screen. */
  readonly isControlledHere: () => boolean
}

/** Runs as long as the page is open. */
export async function followService({ token, onScene, isControlledHere }: Telling): Promise<never> {
  let last: ServiceScene | null = null
  let answeredAt = Date.now()
  while (true) {
    if (!isControlledHere()) {
      const answer = await ask(token)
      if (answer !== 'no answer') answeredAt = Date.now()
      const next: ServiceScene | null =
        answer === 'no answer' ? (Date.now() - answeredAt > SILENCE_MS ? withoutCode(last) : last) : answer
      if (JSON.stringify(next) !== JSON.stringify(last)) onScene(ended(last, next))
      last = next
    }
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS))
  }
}

/** The service does not report the outcome. The guest only sees that there is nothing more to scan. */
function ended(last: ServiceScene | null, next: ServiceScene | null): ServiceScene | null {
  const isOver = last?.scene.kind === 'code' && next?.scene.kind === 'welcome'
  return isOver ? { ...next, scene: { kind: 'done' } } : next
}

const withoutCode = (last: ServiceScene | null): ServiceScene | null =>
  last === null ? null : { ...last, scene: { kind: 'welcome' } }

async function ask(token: string): Promise<ServiceScene | null | 'no answer'> {
  try {
    const response = await fetch('/till/display/scene', {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      cache: 'no-store',
      credentials: 'omit',
    })
    return response.ok ? readServiceScene(await response.json()) : 'no answer'
  } catch {
    // No network, or an unreadable answer: polls again soon.
    return 'no answer'
  }
}

/** An unreadable answer counts as no till. */
export function readServiceScene(answer: unknown): ServiceScene | null {
  const {
    kind,
    shop,
    look,
    test,
    question,
    wallet_uri: walletUri,
    agreed,
  } = (answer ?? {}) as Readonly<Record<string, unknown>>
  const scene = readScene({ kind, question, walletUri, agreed })
  if (scene === null || scene.kind === 'done' || typeof test !== 'boolean') return null
  return { shop: readLine(shop), look: readLook(look), test, scene }
}
