// vidimus template put | list | remove

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { type CliWorld, inRealm, OPERATOR, type RealmOptions, realmOf } from '../../../cli/world.ts'
import { answer, CliProblem, table } from '../../../platform/cli/print.ts'
import { renderTemplate } from '../domain/listed-template.ts'
import { listTemplates, removeTemplate, saveTemplate } from '../usecases/manage-templates.ts'

export function addTemplateCommands(program: Command, world: CliWorld): void {
  const template = program.command('template').description("manage a merchant's templates: put, list, remove")
  inRealm(template.command('put').description('save a template from a file'))
    .argument('<key>', 'the key of the template')
    .requiredOption(
      '--file <path>',
      'JSON with query; optional: title, description, outputs, intended_use, transaction',
    )
    .action(async (key: string, options: RealmOptions & { file: string }, command: Command) => {
      const input = { realm: realmOf(options), key, document: await readDocument(options.file), actor: OPERATOR }
      const saved = await world.withDeps((deps) => saveTemplate(deps, input))
      if (saved.outcome === 'no_tenant') throw new CliProblem(`there is no tenant ${options.tenant}`)
      if (saved.outcome === 'invalid') throw new CliProblem(`the template is not valid: ${saved.problem}`)
      const warnings = saved.concerns.map(({ message }) => `\nWarning: ${message}`).join('')
      const text = `${saved.outcome === 'created' ? 'Saved' : 'Replaced'} the template ${key}.${warnings}`
      answer(world, command, {
        json: {
          outcome: saved.outcome,
          template: renderTemplate({ ...saved.template, builtIn: false, concerns: saved.concerns }),
        },
        text,
      })
    })
  inRealm(template.command('list').description('list the templates that a merchant can use')).action(
    async (options: RealmOptions, command: Command) => {
      const templates = await world.withDeps((deps) => listTemplates(deps, realmOf(options)))
      const rows = templates.map((one) => [
        one.key,
        one.title,
        one.builtIn ? 'built-in' : 'own',
        one.outputs === null ? '(claims as they are)' : Object.keys(one.outputs).join(' '),
      ])
      answer(world, command, {
        json: { data: templates.map(renderTemplate) },
        text: table(['KEY', 'TITLE', 'ORIGIN', 'OUTPUTS'], rows),
      })
    },
  )
  inRealm(template.command('remove').description('delete a template of the merchant'))
    .argument('<key>')
    .action(async (key: string, options: RealmOptions, command: Command) => {
      const input = { realm: realmOf(options), key, actor: OPERATOR }
      const removed = await world.withDeps((deps) => removeTemplate(deps, input))
      if (!removed) throw new CliProblem(`tenant ${options.tenant} has no template ${key} in ${options.environment}`)
      answer(world, command, { json: { removed: key }, text: `Removed the template ${key}.` })
    })
}

export async function readDocument(path: string): Promise<unknown> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch {
    throw new CliProblem(`the file ${path} cannot be read`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new CliProblem(`the file ${path} is not JSON`)
  }
}
