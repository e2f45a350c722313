// The customer screen: a second window or another device that shows the guest the code, welcome or thank you.

import { DIRECTIONS } from '../../../labels/catalogue.ts'
import { agreementLines } from '../agreement.ts'
import { keepAwake } from '../device/wake-lock.ts'
import { byId, el } from '../dom.ts'
import { logoView, NO_LOOK, wearLook } from '../look.ts'
import { outcomeMark } from '../marks.ts'
import { agreementView } from '../views.ts'
import { ageSentencesOf, chooseLanguage, titleOf, WORDS, type Words } from '../words/words.ts'
import { showCode } from './display-code.ts'
import {
  type DisplaySays,
  openChannel,
  type Question,
  readTillSays,
  type Scene,
  type TillSays,
} from './display-messages.ts'
import { qrDrawing } from './qr-drawing.ts'
import { screenIdentity } from './screen-identity.ts'
import { followService } from './service-scenes.ts'

/** How long "Thank you" is shown. */
const THANKS_MS = 8_000

export async function startDisplay(): Promise<void> {
  const { code, token } = await screenIdentity()
  const language = chooseLanguage(navigator.languages)
  const channel = openChannel(code)
  const say = (kind: DisplaySays['kind']) => channel.postMessage({ from: 'display', kind } satisfies DisplaySays)
  let thanks: ReturnType<typeof setTimeout> | undefined
  let isControlledHere = false

  function show(message: TillSays): void {
    clearTimeout(thanks)
    draw(message)
    if (message.scene.kind === 'done')
      thanks = setTimeout(() => draw({ ...message, scene: { kind: 'welcome' } }), THANKS_MS)
  }

  channel.addEventListener('message', ({ data }) => {
    const message = readTillSays(data)
    if (message === null) return
    isControlledHere = true
    say('here')
    show(message)
  })
  addEventListener('pagehide', () => say('gone'))
  addEventListener('pageshow', () => say('hello'))
  addEventListener('hashchange', () => location.reload())
  byId('bar').hidden = true
  document.body.classList.add('display')
  drawPairing(code)
  say('hello')
  keepAwake()
  if (token === null) return
  await followService({
    token,
    isControlledHere: () => isControlledHere,
    onScene: (next) => (next === null ? drawPairing(code) : show({ from: 'till', language, ...next })),
  })
}

function drawPairing(code: string): void {
  const language = chooseLanguage(navigator.languages)
  const words = WORDS[language]
  document.documentElement.lang = language
  const symbols = [...code].join(' ')
  delete document.body.dataset.scene
  wearLook(NO_LOOK)
  byId('view').replaceChildren(
    el('h1', {}, words.display),
    el('p', {}, words.displayType),
    el('p', { class: 'display-code', 'aria-label': symbols, role: 'img' }, showCode(code)),
  )
}

function draw({ shop, look, language, test, scene }: TillSays): void {
  const words = WORDS[language]
  document.documentElement.lang = language
  document.documentElement.dir = DIRECTIONS[language]
  const mark = byId('test')
  mark.textContent = words.displayTest
  mark.hidden = !test
  wearLook(look)
  byId('view').replaceChildren(...logoView(look), ...sceneView(words, shop, scene))
  document.body.dataset.scene = scene.kind
}

function sceneView(words: Words, shop: string | null, scene: Scene): readonly Node[] {
  if (scene.kind === 'code')
    return [
      ...(shop === null ? [] : [el('p', { class: 'shop' }, shop)]),
      ...questionView(words, shop, scene.question),
      ...agreementView(agreementLines(scene.agreed, words)),
      el('div', { class: 'code' }, qrDrawing(scene.walletUri, words.code)),
    ]
  const [title, text] =
    scene.kind === 'done' ? [words.displayDone, words.displayAsk] : [words.displayWelcome, words.displayWait]
  return [
    ...(shop === null ? [] : [el('p', { class: 'shop' }, shop)]),
    ...(scene.kind === 'done' ? [outcomeMark('yes', 'mark')] : []),
    el('h1', { class: 'greeting' }, title),
    el('p', { class: 'soft' }, text),
  ]
}

function questionView(words: Words, shop: string | null, question: Question | null): readonly Node[] {
  if (question === null) return [el('h1', {}, words.show)]
  const { template, title } = question
  const titles = title === null ? [] : [{ key: template, title }]
  const [sentence, learned] = (title === null ? ageSentencesOf(words, shop, template) : null) ?? [null, null]
  return [
    el('h1', {}, sentence ?? titleOf(words, titles, template)),
    el('p', {}, learned === null ? words.show : `${words.show}. ${learned}`),
  ]
}
