// Prints the output of commands: JSON for programs, lines and tables for people.

import type { Command } from 'commander'

export interface Printer {
  out(text: string): void
  err(text: string): void
}

/** A mistake in the call, reported in one line. Commands with their own exit codes set `exitCode`. */
export class CliProblem extends Error {
  override readonly name = 'CliProblem'
  readonly exitCode: number

  constructor(message: string, exitCode = 2) {
    super(message)
    this.exitCode = exitCode
  }
}

export function answer(printer: Printer, command: Command, result: { json: unknown; text: string }): void {
  const wantsJson = command.optsWithGlobals().json === true
  printer.out(wantsJson ? `${JSON.stringify(result.json)}\n` : `${result.text}\n`)
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new CliProblem(`${name} must be a whole number, not '${text}'`)
  return Number(text)
}
