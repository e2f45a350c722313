// Sends a logo with headers that allow no script, no style and no further requests.

import type { FastifyReply } from 'fastify'
import type { Logo } from '../domain/branding/branding.ts'

export function sendLogo(reply: FastifyReply, logo: Logo): FastifyReply {
  return reply
    .header('Content-Security-Policy', "default-src 'none'; sandbox; frame-ancestors 'none'")
    .header('Cross-Origin-Resource-Policy', 'same-origin')
    .header('Cache-Control', 'private, max-age=86400, immutable')
    .type(logo.type)
    .send(logo.bytes)
}
