// Defines an import rule, the words that a module may not use, and how a line of the table is written.

export interface ImportRule {
  /** A folder or one file. If several match a file, its module is the longest path. */
  readonly module: string
  /** Modules that this module may import. It may always import its own files. */
  readonly modules: readonly string[]
  /** Modules from which it may import types only. */
  readonly types: readonly string[]
  readonly packages: readonly string[]
  readonly builtins: readonly string[]
  readonly bans: readonly Ban[]
}

export interface Ban {
  readonly word: string
  readonly pattern: RegExp
  readonly why: string
}

export const FETCH: Ban = {
  word: 'fetch',
  // A member named `fetch` is allowed, because it was passed in and is not the global function.
  pattern: /(?<![\w$.])(?:fetch|XMLHttpRequest|WebSocket|EventSource)\b(?!\s*:)/,
  why: 'only folders named outbound and platform/egress use the network',
}
export const CLOCK: Ban = {
  word: 'Date.now',
  pattern: /\bDate\.now\b|\bnew Date\(\s*\)|(?<![\w$.])Date\(\)|(?<![\w$.])performance\b/,
  why: 'time comes in as an argument',
}
export const CHANCE: Ban = {
  word: 'Math.random',
  pattern: /\bMath\.random\b/,
  why: 'randomness comes in as an argument, from a cryptographic source',
}
export const PROCESS: Ban = {
  word: 'process',
  pattern: /(?<![\w$.])process\b(?!\s*[:(])/,
  why: 'it knows no process and no environment',
}
export const ENVIRONMENT: Ban = {
  word: 'process.env',
  pattern: /\bprocess\.env\b/,
  why: 'the environment is read once, by config.ts',
}
export const TIMERS: Ban = {
  word: 'setTimeout',
  pattern: /(?<![\w$.])set(?:Timeout|Interval|Immediate)\b/,
  why: 'it does not wait',
}
export const CONSOLE: Ban = { word: 'console', pattern: /(?<![\w$.])console\b/, why: 'it reports by what it returns' }

export const PURE = [FETCH, CLOCK, CHANCE, PROCESS, TIMERS, CONSOLE]

/** Writes one rule for several modules. */
export function sharedRules(modules: readonly string[], open: Partial<Omit<ImportRule, 'module'>>): ImportRule[] {
  return modules.map((module) => importRule(module, open))
}

export function importRule(module: string, open: Partial<Omit<ImportRule, 'module'>>): ImportRule {
  return { module, modules: [], types: [], packages: [], builtins: [], bans: [], ...open }
}
