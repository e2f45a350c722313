// Formats a line of the service's log for people: time, level, message. Other lines stay as they are.

interface LogLine {
  readonly time: string
  readonly level: string
  readonly msg: string
  readonly error?: { readonly name?: string; readonly frames?: readonly string[] }
  readonly [field: string]: unknown
}

export function readableLine(text: string): string {
  const line = parseLogLine(text)
  if (line === null) return text
  const { time, level, msg, error, ...fields } = line
  const clock = time.slice('2026-01-01T'.length, '2026-01-01T00:00:00'.length)
  const message = msg === 'request' ? requestText(fields) : [msg, ...Object.entries(fields).map(fieldText)].join(' ')
  const fault =
    error === undefined ? [] : [`    ${error.name ?? 'error'}`, ...(error.frames ?? []).map((at) => `    ${at}`)]
  return [`${clock} ${level.padEnd(5)} ${message}`, ...fault].join('\n')
}

function requestText({ method, route, status, duration_ms: duration }: Readonly<Record<string, unknown>>): string {
  return `${method} ${route} ${status} in ${duration} ms`
}

function fieldText([name, value]: [string, unknown]): string {
  return `${name}=${String(value)}`
}

function parseLogLine(text: string): LogLine | null {
  if (!text.startsWith('{"level":')) return null
  try {
    const value = JSON.parse(text) as Partial<LogLine>
    const whole = [value.time, value.level, value.msg].every((part) => typeof part === 'string')
    return whole ? (value as LogLine) : null
  } catch {
    return null
  }
}
