// The customer screen: a second window that shows the guest the code, and otherwise says welcome or thank you. It reads nothing of the
// till's storage and asks the service nothing: what it knows, the till tells it.

import { DIRECTIONS } from '../../../labels/catalogue.ts'
import { keepAwake } from '../device/wake-lock.ts'
import { byId, el } from '../dom.ts'
import { chooseLanguage, WORDS, type Words } from '../words/words.ts'
import {
  type DisplaySays,
  isDisplayCode,
  newDisplayCode,
  openChannel,
  readTillSays,
  type Scene,
  type TillSays,
} from './display-messages.ts'
import { qrDrawing } from './qr-drawing.ts'

/** Of this window: a reload keeps its till, another window is another screen. */
const CODE = 'vidimus.display.code'
/** "Thank you" stays so long. */
const THANKS_MS = 8_000

export function startDisplay(): void {
  const code = codeOfWindow()
  const channel = openChannel(code)
  const say = (kind: DisplaySays['kind']) => channel.postMessage({ from: 'display', kind } satisfies DisplaySays)
  let thanks: ReturnType<typeof setTimeout> | undefined

  channel.addEventListener('message', ({ data }) => {
    const said = readTillSays(data)
    if (said === null) return
    say('here')
    clearTimeout(thanks)
    draw(said)
    if (said.scene.kind === 'done') thanks = setTimeout(() => draw({ ...said, scene: { kind: 'welcome' } }), THANKS_MS)
  })
  addEventListener('pagehide', () => say('gone'))
  addEventListener('pageshow', () => say('hello'))
  addEventListener('hashchange', () => location.reload())
  byId('bar').hidden = true
  document.body.classList.add('display')
  drawPairing(code)
  say('hello')
  keepAwake()
}

function codeOfWindow(): string {
  const kept = sessionStorage.getItem(CODE)
  if (kept !== null && isDisplayCode(kept)) return kept
  const made = newDisplayCode()
  sessionStorage.setItem(CODE, made)
  return made
}

function drawPairing(code: string): void {
  const language = chooseLanguage(navigator.languages)
  const words = WORDS[language]
  document.documentElement.lang = language
  const digits = [...code].join(' ')
  byId('view').replaceChildren(
    el('h1', {}, words.display),
    el('p', {}, words.displayType),
    el('p', { class: 'display-code', 'aria-label': digits, role: 'img' }, code),
  )
}

function draw({ language, test, scene }: TillSays): void {
  const words = WORDS[language]
  document.documentElement.lang = language
  document.documentElement.dir = DIRECTIONS[language]
  const mark = byId('test')
  mark.replaceChildren(el('strong', {}, words.test), words.testMeans)
  mark.hidden = !test
  byId('view').replaceChildren(...sceneView(words, scene))
  document.body.dataset.scene = scene.kind
}

function sceneView(words: Words, scene: Scene): readonly Node[] {
  if (scene.kind === 'code')
    return [el('h1', {}, words.show), el('div', { class: 'code' }, qrDrawing(scene.walletUri, words.code))]
  const [title, text] =
    scene.kind === 'done' ? [words.displayDone, words.displayAsk] : [words.displayWelcome, words.displayWait]
  return [el('h1', { class: 'greeting' }, title), el('p', { class: 'soft' }, text)]
}
