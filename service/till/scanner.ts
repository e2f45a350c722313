// The camera looks for a pairing code, where the browser can read codes by itself.

interface Detector {
  detect(source: CanvasImageSource): Promise<readonly { readonly rawValue: string }[]>
}
type DetectorClass = new (options: { formats: readonly string[] }) => Detector

const LOOK_EVERY_MS = 250

const detectorClass = () => (globalThis as { BarcodeDetector?: DetectorClass }).BarcodeDetector

export const canScan = () => detectorClass() !== undefined && navigator.mediaDevices !== undefined

export interface Scan {
  readonly video: HTMLVideoElement
  stop(): void
}

/** Rejects when the camera is refused. */
export async function scan(onCode: (code: string) => void): Promise<Scan> {
  const Found = detectorClass()
  if (Found === undefined) throw new Error('bug: this browser reads no codes')
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
  const detector = new Found({ formats: ['qr_code'] })
  const video = document.createElement('video')
  video.muted = true
  video.playsInline = true
  video.srcObject = stream
  await video.play()
  const timer = setInterval(async () => {
    const [found] = await detector.detect(video).catch(() => [])
    const code = found === undefined ? null : pairingCodeIn(found.rawValue)
    if (code !== null) onCode(code)
  }, LOOK_EVERY_MS)
  return {
    video,
    stop() {
      clearInterval(timer)
      for (const track of stream.getTracks()) track.stop()
    },
  }
}

/** The code alone, or a link to this page that ends in it. */
export function pairingCodeIn(text: string): string | null {
  return /(?:^|#)(VD-[0-9A-Z]{4}-[0-9A-Z]{4})$/i.exec(text.trim())?.[1] ?? null
}
