// Scans a pairing code with the camera, by the browser's own reader or by a script.

export interface Scan {
  readonly video: HTMLVideoElement
  stop(): void
}

interface Detector {
  detect(source: CanvasImageSource): Promise<readonly { readonly rawValue: string }[]>
}
type DetectorClass = new (options: { formats: readonly string[] }) => Detector
/** The text of a code in a frame; null if there is none. */
type Look = (video: HTMLVideoElement) => Promise<string | null>

const LOOK_EVERY_MS = 250

/** Only pages in a secure context have cameras. */
export const canScan = () => navigator.mediaDevices !== undefined

/** Rejects if the camera is not allowed. Calls `onCode` once. */
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

/** The code alone, or a link to this page that ends with it. */
export function pairingCodeIn(text: string): string | null {
  return /(?:^|#)(VD-[0-9A-Z]{4}-[0-9A-Z]{4})$/i.exec(text.trim())?.[1] ?? null
}

/** Takes the code from the link of its QR code, and removes it from the address. */
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
      return null // the frame is not ready yet
    }
  }
}

/** Loaded at the first scan, because it is larger than the till. */
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
