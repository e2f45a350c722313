// Creates a QR code as a file to print, in the browser: its text is not sent anywhere.

import encodeQR from 'qr'

/** Has the quiet zone of ISO/IEC 18004, and enough error correction for a scratched poster. */
const rowsOf = (text: string) => encodeQR(text, 'raw', { border: 4, ecc: 'quartile' })

export function svgOf(text: string): Blob {
  const rows = rowsOf(text)
  const path = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  const size = rows.length
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size}mm" height="${size}mm" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}"/></svg>`
  return new Blob([svg], { type: 'image/svg+xml' })
}

/** Each module is 24 pixels wide: sharp at 10 cm and more. */
const MODULE_PIXELS = 24

export async function pngOf(text: string): Promise<Blob> {
  const rows = rowsOf(text)
  const canvas = document.createElement('canvas')
  canvas.width = rows.length * MODULE_PIXELS
  canvas.height = canvas.width
  const pen = canvas.getContext('2d')
  if (pen === null) throw new Error('this browser cannot draw')
  pen.fillStyle = '#fff'
  pen.fillRect(0, 0, canvas.width, canvas.height)
  pen.fillStyle = '#000'
  rows.forEach((row, y) => {
    row.forEach((dark, x) => {
      if (dark) pen.fillRect(x * MODULE_PIXELS, y * MODULE_PIXELS, MODULE_PIXELS, MODULE_PIXELS)
    })
  })
  return new Promise((resolve, reject) =>
    canvas.toBlob((file) => (file === null ? reject(new Error('this browser cannot draw')) : resolve(file))),
  )
}

export function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // The browser has read the URL by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href))
}
