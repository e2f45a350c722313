// vidimus anchor import | lists | set-providers | forget | refresh

import type { Command } from 'commander'
import { IMPORTED_PROVIDERS, LIST_PROVIDERS, TRUST_LIST_KINDS } from '../../../../../wire/values/trust.ts'
import { type CliWorld, type OwnerOptions, ownerOf, readBytes, withOwner } from '../../../cli/world.ts'
import { answer, CliProblem, table } from '../../../platform/cli/print.ts'
import { isAddress, renderTrustList, type TrustListKind } from '../domain/anchor.ts'
import { type ListProviders, onlyProviders } from '../domain/list-providers.ts'
import { certificatesIn } from '../domain/pem.ts'
import { importTrustList, removeTrustList, showTrustLists } from '../usecases/import-trust-list.ts'
import { refreshTrustLists } from '../usecases/refresh-trust-lists.ts'
import { setProviders } from '../usecases/set-list-providers.ts'
import { checkTypes, type SoleOptions, soleTypeOf, TYPE_HELP, withSoleType } from './anchor.ts'

interface ImportOptions extends OwnerOptions, SoleOptions {
  readonly kind: string
  readonly providers?: string
  readonly signer?: string
  readonly type: string[]
}

export function addTrustListCommands(anchor: Command, world: CliWorld): void {
  withSoleType(withOwner(anchor.command('import'), 'every tenant'))
    .description(
      'trust the authorities of a published list: a VICAL, an ETSI list in JSON, or the EU list of providers of age attestations in XML',
    )
    .argument('<source>', 'an http(s) address, read again from then on, or a file, read once')
    .requiredOption('--kind <kind>', 'vical, lote (JSON, ETSI TS 119 602) or tsl (XML, ETSI TS 119 612)')
    .option(
      '--providers <providers>',
      `the providers that the list names, checked at each refresh: ${IMPORTED_PROVIDERS.join(', ')}. A vical names mdoc, a tsl age-attestation`,
    )
    .option(
      '--signer <path>',
      "the certificate of the list's signer, or for a VICAL of the authority above it; optionally a second one of the authority that issued the first and publishes its revocation list",
    )
    .requiredOption('--type <type...>', TYPE_HELP)
    .action(async (source: string, options: ImportOptions, command: Command) => {
      const kind = checkKind(options.kind)
      const input = {
        owner: ownerOf(options),
        kind,
        providers: options.providers === undefined ? impliedProviders(kind) : checkProviders(options.providers),
        source,
        file: isAddress(source) ? null : await readBytes(source),
        ...(options.signer === undefined ? NO_SIGNER : await readSigner(options.signer)),
        types: checkTypes(options.type),
        sole: soleTypeOf(options),
      }
      const done = await world.withDeps((deps) => importTrustList(deps, input))
      if (done.outcome === 'refused') throw new CliProblem(`not imported: ${done.problem}`)
      const left =
        done.left === 0
          ? ''
          : ` ${done.left} entries were left out: they are not authorities, or have none of these types.`
      answer(world, command, { json: done, text: `Imported ${done.anchors} anchors as ${done.id}.${left}` })
    })
  anchor
    .command('lists')
    .description('list imported trust lists, and when they were loaded')
    .action(async (_options: unknown, command: Command) => {
      const lists = await world.withDeps(showTrustLists)
      const rows = lists.map((list) => [
        list.id,
        list.environment,
        list.tenantId ?? 'all',
        list.kind,
        list.providers ?? 'unknown',
        list.types.join(' '),
        list.issuer ?? '-',
        list.issuedAt ?? '-',
        list.nextUpdateAt ?? '-',
        list.loadedAt ?? 'never',
        list.failure ?? 'ok',
        list.source,
      ])
      const head = [
        'ID',
        'ENVIRONMENT',
        'TENANT',
        'KIND',
        'PROVIDERS',
        'TYPES',
        'ISSUER',
        'ISSUED',
        'NEXT UPDATE',
        'LOADED',
        'LAST ATTEMPT',
        'SOURCE',
      ]
      const text = rows.length === 0 ? 'No list is imported.' : table(head, rows)
      answer(world, command, { json: { data: lists.map(renderTrustList) }, text })
    })
  anchor
    .command('set-providers')
    .description('set the providers of an imported list, and load it again')
    .argument('<list>', 'its id')
    .argument('<providers>', IMPORTED_PROVIDERS.join(', '))
    .action(async (id: string, name: string, _options: unknown, command: Command) => {
      const providers = checkProviders(name)
      const done = await world.withDeps((deps) => setProviders(deps, { id, providers }))
      if (done.outcome === 'refused') throw new CliProblem(`not changed: ${done.problem}`)
      const { failure, nextUpdateAt } = done.list
      const earlier = nextUpdateAt === null ? 'are no longer trusted' : 'stay until it expires'
      const text =
        failure === null
          ? `${id} names providers '${providers}', and was read again.`
          : `${id} is set to providers '${providers}', but was not loaded again: ${failure}. Its earlier anchors ${earlier}.`
      answer(world, command, { json: renderTrustList(done.list), text })
    })
  anchor
    .command('refresh')
    .description('read every list with an address again, now')
    .action(async (_options: unknown, command: Command) => {
      const lists = await world.withDeps(async (deps) => {
        await refreshTrustLists(deps)
        return showTrustLists(deps)
      })
      const failed = lists.filter(({ failure }) => failure !== null)
      const text = failed.map(({ source, failure }) => `${source}: ${failure}`).join('\n')
      answer(world, command, {
        json: { failed: failed.map(({ id }) => id) },
        text: text === '' ? 'Every list was loaded.' : text,
      })
    })
  anchor
    .command('forget')
    .description('remove a trust list and its anchors')
    .argument('<list>', 'id of the list; its anchors are removed too')
    .action(async (id: string, _options: unknown, command: Command) => {
      if (!(await world.withDeps((deps) => removeTrustList(deps, id)))) throw new CliProblem(`there is no list ${id}`)
      answer(world, command, { json: { removed: id }, text: `Removed ${id} and its anchors.` })
    })
}

function checkKind(kind: string): TrustListKind {
  const known = TRUST_LIST_KINDS.find((one) => one === kind)
  if (known !== undefined) return known
  throw new CliProblem(`--kind must be vical, lote or tsl, not '${kind}'`)
}

/** Returns the providers if the format has only one kind of list. Otherwise the operator must name them. */
function impliedProviders(kind: TrustListKind): ListProviders {
  const only = onlyProviders(kind)
  if (only !== null) return only
  throw new CliProblem(`--providers is missing; one of: ${IMPORTED_PROVIDERS.join(', ')}`)
}

function checkProviders(providers: string): ListProviders {
  const known = LIST_PROVIDERS.find((one) => one === providers)
  if (known !== undefined) return known
  throw new CliProblem(`--providers must be one of ${IMPORTED_PROVIDERS.join(', ')}, not '${providers}'`)
}

const NO_SIGNER = { signer: null, signerAuthority: null }

async function readSigner(path: string) {
  const [signer, signerAuthority = null, ...more] = certificatesIn(await readBytes(path))
  if (signer === undefined || more.length > 0) throw new CliProblem(`${path} must contain one or two certificates`)
  return { signer, signerAuthority }
}
