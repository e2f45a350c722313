// Sound and vibration per outcome, generated in the browser: rising for yes, falling for no, two knocks for not proven.

import type { Outcome } from '../outcome.ts'

export type Kind = Outcome['kind']

interface Signal {
  readonly wave: OscillatorType
  /** In hertz, played one after another. */
  readonly tones: readonly number[]
  readonly toneSeconds: number
  /** In milliseconds: on, off, on. */
  readonly vibration: readonly number[]
}

export const SIGNALS: Readonly<Record<Kind, Signal>> = {
  yes: { wave: 'sine', tones: [659, 988], toneSeconds: 0.14, vibration: [120] },
  no: { wave: 'triangle', tones: [330, 196], toneSeconds: 0.32, vibration: [350, 120, 350] },
  unproven: { wave: 'triangle', tones: [440, 440], toneSeconds: 0.16, vibration: [90, 90, 90, 90, 90] },
}

const LOUDNESS = 0.25
const GAP_SECONDS = 0.05

export interface Signals {
  play(kind: Kind): void
}

/** `isOn` is called each time, so that the switch takes effect immediately. */
export function openSignals(isOn: () => boolean): Signals {
  let context: AudioContext | null = null
  // Browsers allow sound only after a tap on the page.
  addEventListener('pointerdown', () => {
    if (!isOn() || typeof AudioContext === 'undefined') return
    context ??= new AudioContext()
    if (context.state === 'suspended') context.resume().catch(() => undefined)
  })
  return {
    play(kind) {
      if (!isOn()) return
      if (context !== null) sound(context, SIGNALS[kind])
      if ('vibrate' in navigator) navigator.vibrate([...SIGNALS[kind].vibration])
    },
  }
}

function sound(context: AudioContext, { wave, tones, toneSeconds }: Signal): void {
  for (const [at, hertz] of tones.entries()) {
    const begin = context.currentTime + at * (toneSeconds + GAP_SECONDS)
    const end = begin + toneSeconds
    const tone = new OscillatorNode(context, { type: wave, frequency: hertz })
    const loudness = new GainNode(context, { gain: 0 })
    // Fades in and out, because a tone that is cut off clicks.
    loudness.gain.linearRampToValueAtTime(0, begin)
    loudness.gain.linearRampToValueAtTime(LOUDNESS, begin + 0.015)
    loudness.gain.linearRampToValueAtTime(0, end)
    tone.connect(loudness).connect(context.destination)
    tone.start(begin)
    tone.stop(end)
  }
}
