// Writes the log: JSON lines on stdout. Only listed fields are written, so that no key, token or claim gets in.

import { pino } from 'pino'
import type { LogLevel } from '../config/variables.ts'

interface LogFields {
  readonly request_id?: string | undefined
  readonly trace_id?: string | undefined
  readonly method?: string
  /** The route's pattern, never the path: ids in paths are capabilities. */
  readonly route?: string
  readonly status?: number
  readonly code?: string | undefined
  readonly duration_ms?: number
  readonly tenant?: string | undefined
  readonly environment?: string | undefined
  readonly principal?: string
  readonly job?: string
  readonly outcome?: string
  readonly count?: number
  readonly store?: string
  readonly address?: string
  readonly version?: string
}

export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** Name, code and stack frames of the error. Its message may quote values and is left out. */
  fault(message: string, error: unknown, fields?: LogFields): void
}

const FIELDS = [
  'request_id',
  'trace_id',
  'method',
  'route',
  'status',
  'code',
  'duration_ms',
  'tenant',
  'environment',
  'principal',
  'job',
  'outcome',
  'count',
  'store',
  'address',
  'version',
] as const satisfies readonly (keyof LogFields)[]

export function createLog(level: LogLevel, write: (line: string) => void): Log {
  const out = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  )
  const at = (wanted: Exclude<LogLevel, 'silent'>) => (message: string, fields?: LogFields) => {
    if (out.isLevelEnabled(wanted)) out[wanted](allowed(fields), message)
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fault: (message, error, fields) => out.error({ ...allowed(fields), error: describeFault(error) }, message),
  }
}

/** Drops fields that are not on the list, because types do not exist at run time. */
function allowed(fields: LogFields = {}): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const name of FIELDS) if (fields[name] !== undefined) kept[name] = fields[name]
  return kept
}

function describeFault(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  // A line of the message may look like a frame.
  const stack = (error.stack ?? '').replace(error.message, '')
  const frames = stack.split('\n').filter((line) => line.startsWith('    at '))
  const cause = error.cause === undefined ? undefined : describeFault(error.cause)
  return { name: error.name, code, frames: frames.slice(0, 12).map((line) => line.trim()), cause }
}
