// Sends one request from a chosen address of this machine.

import { type Agent, request } from 'node:http'

const TIMEOUT_MS = 10_000

export interface Call {
  readonly url: string
  readonly method?: string
  readonly path: string
  readonly key?: string
  readonly body?: unknown
  readonly from?: string
  readonly agent?: Agent
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answered {
  /** 0 if there was no answer. */
  readonly status: number
  readonly text: string
  /** The redirect target; empty if there is none. */
  readonly location: string
  readonly milliseconds: number
}

/** Sends one request from a chosen local address. Never throws. */
export function callFrom(call: Call): Promise<Answered> {
  const { url, method = 'GET', path, key, body, from = '127.0.0.1', agent = false } = call
  const began = performance.now()
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...call.headers,
  }
  return new Promise((resolve) => {
    const done = (status: number, text: string, location = '') =>
      resolve({ status, text, location, milliseconds: performance.now() - began })
    const sent = request(new URL(path, url), { method, agent, headers, localAddress: from, timeout: TIMEOUT_MS })
    sent.on('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      answer
        .on('end', () => done(answer.statusCode ?? 0, text, answer.headers.location))
        .on('error', () => done(0, text))
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => done(0, ''))
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
