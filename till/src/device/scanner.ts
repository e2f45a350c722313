// The camera looks for a pairing code: by the browser's own reader where it has one, by a script otherwise.

export interface Scan {
  readonly video: HTMLVideoElement
  stop(): void
}

interface Detector {
  detect(source: CanvasImageSource): Promise<readonly { readonly rawValue: string }[]>
}
type DetectorClass = new (options: { formats: readonly string[] }) => Detector
/** What a frame says; null when it shows no code. */
type Look = (video: HTMLVideoElement) => Promise<string | null>

const LOOK_EVERY_MS = 250

/** Only pages that are served securely have cameras. */
export const canScan = () => navigator.mediaDevices !== undefined

/** Rejects when the camera is refused. `onCode` is called once. */
export async function scan(onCode: (code: string) => void): Promise<Scan> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
  const video = document.createElement('video')
  video.muted = true
  video.playsInline = true
  video.srcObject = stream
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
    for (const track of stream.getTracks()) track.stop()
  }
  try {
    await video.play()
    const look = await readerOf()
    const again = async () => {
      const code = pairingCodeIn((await look(video)) ?? '')
      if (timer === undefined) return
      if (code === null) timer = setTimeout(again, LOOK_EVERY_MS)
      else onCode(code)
    }
    timer = setTimeout(again, LOOK_EVERY_MS)
  } catch (error) {
    stop()
    throw error
  }
  return { video, stop }
}

/** The code alone, or a link to this page that ends in it. */
export function pairingCodeIn(text: string): string | null {
  return /(?:^|#)(VD-[0-9A-Z]{4}-[0-9A-Z]{4})$/i.exec(text.trim())?.[1] ?? null
}

/** From the link that a pairing code is shown as. It leaves the address, so that nobody finds it there. */
export function takeLinkedCode(): string | null {
  const linked = pairingCodeIn(location.hash)
  if (location.hash !== '') history.replaceState(null, '', location.pathname)
  return linked
}

async function readerOf(): Promise<Look> {
  const Native = (globalThis as { BarcodeDetector?: DetectorClass }).BarcodeDetector
  if (Native === undefined) return scriptReader()
  const detector = new Native({ formats: ['qr_code'] })
  return async (video) => {
    try {
      return (await detector.detect(video))[0]?.rawValue ?? null
    } catch {
      return null // a frame that is not there yet
    }
  }
}

/** Loaded at the first scan: it is larger than the till. */
async function scriptReader(): Promise<Look> {
  const { decodeQR } = await import('qr/decode.js')
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (context === null) throw new Error('this browser draws nothing')
  return async (video) => {
    if (video.videoWidth === 0) return null
    canvas.width = video.videoWidth
    canvas.height = video.videoHeight
    context.drawImage(video, 0, 0)
    try {
      return decodeQR(context.getImageData(0, 0, canvas.width, canvas.height))
    } catch {
      return null // no code in this frame
    }
  }
}
