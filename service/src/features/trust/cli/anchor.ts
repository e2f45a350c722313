// vidimus anchor add | list | remove

import { docTypeOf } from '@vidimus/engine/formats'
import type { Command } from 'commander'
import { type CliWorld, OPERATOR, type OwnerOptions, ownerOf, readBytes, withOwner } from '../../../cli/world.ts'
import { answer, CliProblem, table } from '../../../platform/cli/print.ts'
import {
  type AnchorView,
  isVouchedType,
  REGISTERS,
  REGISTRATIONS,
  renderAnchor,
  vouchedTypesOf,
} from '../domain/anchor.ts'
import { certificatesIn } from '../domain/pem.ts'
import type { SoleType } from '../domain/sole-type.ts'
import { addAnchor, listAnchors, removeAnchor } from '../usecases/manage-anchors.ts'

interface AddOptions extends OwnerOptions, SoleOptions {
  readonly type: string[]
  readonly pinned?: boolean
  readonly exact?: boolean
  readonly profile: string
}

export function addAnchorCommands(program: Command, world: CliWorld): Command {
  const anchor = program.command('anchor').description('trust anchors of credential issuers: add, list, remove, import')
  withSoleType(withOwner(anchor.command('add'), 'every tenant'))
    .description('trust an authority, or in test a single signer')
    .argument('<path>', 'its certificate, PEM or DER')
    .requiredOption('--type <type...>', TYPE_HELP)
    .option('--pinned', 'the certificate is the signer itself (test only)')
    .option('--exact', 'the signer itself; its certificate chain is not checked (test only)')
    .option('--profile <profile>', 'generic, or iso-mdl for an IACA (ISO/IEC 18013-5 Annex B)', 'generic')
    .action(async (path: string, options: AddOptions, command: Command) => {
      const [certificate, ...more] = certificatesIn(await readBytes(path))
      if (certificate === undefined || more.length > 0) throw new CliProblem(`${path} must contain one certificate`)
      const sole = soleTypeOf(options)
      const input = {
        owner: ownerOf(options),
        ...(sole === null ? {} : { sole }),
        kind: kindOf(options),
        profile: checkProfile(options.profile),
        types: checkTypes(options.type),
        certificate,
        actor: OPERATOR,
      }
      const added = await world.withDeps((deps) => addAnchor(deps, input))
      if (added.outcome === 'refused') throw new CliProblem(`not added: ${added.problem}`)
      answer(world, command, { json: { id: added.anchor.id }, text: `Added ${added.anchor.id}.` })
    })
  anchor
    .command('list')
    .description('list trust anchors')
    .action(async (_options: unknown, command: Command) => {
      const anchors = await world.withDeps(listAnchors)
      const rows = anchors.map((one) => [
        one.id,
        one.environment,
        one.tenantId ?? 'all',
        one.kind,
        one.profile,
        one.types.join(' '),
        one.sole === undefined ? '-' : one.sole.nameSpace,
        one.listId ?? 'by hand',
        one.subject,
      ])
      const head = ['ID', 'ENVIRONMENT', 'TENANT', 'KIND', 'PROFILE', 'TYPES', 'SOLE NAMESPACE', 'FROM', 'SUBJECT']
      const text =
        rows.length === 0 ? 'No anchor is installed: only the sandbox is trusted, in test.' : table(head, rows)
      answer(world, command, { json: { data: anchors.map(renderAnchor) }, text })
    })
  anchor
    .command('remove')
    .description('stop trusting an anchor')
    .argument('<anchor>', 'its id')
    .action(async (id: string, _options: unknown, command: Command) => {
      const removed = await world.withDeps((deps) => removeAnchor(deps, { id, actor: OPERATOR }))
      if (removed === null) throw new CliProblem(`there is no anchor ${id} that was installed by hand`)
      answer(world, command, { json: { removed: id }, text: `Removed ${id}.` })
    })
  return anchor
}

function kindOf({ pinned, exact }: AddOptions): AnchorView['kind'] {
  if (pinned === true && exact === true) throw new CliProblem('--pinned and --exact exclude each other')
  if (exact === true) return 'exact'
  return pinned === true ? 'pinned' : 'ca'
}

export interface SoleOptions {
  readonly soleType?: string
  readonly soleNamespace?: string
  readonly withoutStatus?: boolean
}

/** Adds options that declare which documents zero-knowledge proofs may be about: see docs/zk-verifier.md. */
export const withSoleType = (command: Command): Command =>
  command
    .option(
      '--sole-type <docType>',
      'every key below the anchor signs documents of this type only, so zero-knowledge proofs are accepted; needs --sole-namespace',
    )
    .option('--sole-namespace <namespace>', 'the only name space of the elements of these documents')
    .option('--without-status', 'these documents never have a status: only for age attestations')

export function soleTypeOf({ soleType, soleNamespace, withoutStatus = false }: SoleOptions): SoleType | null {
  if (soleType !== undefined && soleNamespace !== undefined)
    return { docType: docTypeOf(soleType) ?? soleType, nameSpace: soleNamespace, withoutStatus }
  if (soleType === undefined && soleNamespace === undefined && !withoutStatus) return null
  throw new CliProblem('--sole-type and --sole-namespace need each other, and --without-status needs both')
}

export const TYPE_HELP = `what it may vouch for at most, each with its format: ${vouchedTypesOf()}; '*' in place of a type for all of them; or ${REGISTRATIONS} for a provider of registration certificates, ${REGISTERS} for a national register`

export function checkTypes(types: readonly string[]): AnchorView['types'] {
  const odd = types.find((type) => !isVouchedType(type))
  if (odd !== undefined) throw new CliProblem(`--type must name a format, as in ${vouchedTypesOf(odd)}, not '${odd}'`)
  return types.filter(isVouchedType)
}

function checkProfile(profile: string): 'generic' | 'iso-mdl' {
  if (profile === 'generic' || profile === 'iso-mdl') return profile
  throw new CliProblem(`--profile must be generic or iso-mdl, not '${profile}'`)
}
