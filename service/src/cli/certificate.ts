// vidimus certificate csr | install | show

import type { Command } from 'commander'
import { renderCertificate } from '../domain/trust/certificate.ts'
import { certificatesIn } from '../domain/trust/pem.ts'
import {
  type CertificateExport,
  exportCertificates,
  installCertificate,
  listCertificates,
  requestCertificate,
} from '../usecases/trust/manage-certificates.ts'
import { answer, CliProblem, table } from './print.ts'
import { type CliWorld, checkEnvironment, OPERATOR, type OwnerOptions, ownerOf, readBytes, withOwner } from './world.ts'

interface CsrOptions extends OwnerOptions {
  readonly commonName: string
  readonly organization?: string
  readonly country?: string
}

interface ShowOptions {
  readonly pem?: boolean
  readonly tenant?: string
  readonly environment?: string
}

interface InstallOptions extends OwnerOptions {
  readonly chain: string
  readonly key?: string
}

export function addCertificateCommands(program: Command, world: CliWorld): void {
  const certificate = program
    .command('certificate')
    .description('access certificates that requests to wallets are signed with: csr, install, show')
  withOwner(certificate.command('csr'), "the service's own")
    .description('make a key and a signing request for it')
    .requiredOption('--common-name <name>', 'the name wallets show')
    .option('--organization <name>')
    .option('--country <code>', 'two letters')
    .action(async (options: CsrOptions, command: Command) => {
      const subject = {
        commonName: options.commonName,
        ...(options.organization === undefined ? {} : { organization: options.organization }),
        ...(options.country === undefined ? {} : { country: checkCountry(options.country) }),
      }
      const made = await world.withDeps((deps) => requestCertificate(deps, { owner: ownerOf(options), subject }))
      if (made === null) throw new CliProblem(`there is no tenant ${options.tenant}`)
      answer(world, command, { json: made, text: made.csr.trimEnd() })
    })
  withOwner(certificate.command('install'), "the service's own")
    .description('install the certificate of a waiting key, or a key and certificate of yours')
    .requiredOption('--chain <path>', 'PEM, the leaf first, without the anchor')
    .option('--key <path>', 'the private key (PKCS #8); without it the one made by `csr` is used')
    .action(async (options: InstallOptions, command: Command) => {
      const input = {
        owner: ownerOf(options),
        chain: certificatesIn(await readBytes(options.chain)),
        privateKey: options.key === undefined ? null : await readBytes(options.key),
        actor: OPERATOR,
      }
      const installed = await world.withDeps((deps) => installCertificate(deps, input))
      if (installed.outcome === 'refused') throw new CliProblem(`not installed: ${installed.problem}`)
      const warnings = installed.warnings.map((warning) => `\nWarning: ${warning}.`).join('')
      answer(world, command, { json: installed, text: `Installed ${installed.id}.${warnings}` })
    })
  certificate
    .command('show')
    .description('what is in use, waiting and retired')
    .option('--tenant <id>', "only a tenant's own")
    .option('--environment <environment>', 'only those of test or live')
    .option('--pem', 'those in use, each with the authority behind it where it was generated here')
    .action(async (options: ShowOptions, command: Command) => {
      const environment = options.environment === undefined ? null : checkEnvironment(options.environment)
      const isAsked = (one: { tenantId: string | null; environment: string }) =>
        (options.tenant === undefined || one.tenantId === options.tenant) &&
        (environment === null || one.environment === environment)
      if (options.pem === true) {
        const found = (await world.withDeps(exportCertificates)).filter(isAsked)
        if (found.length === 0)
          throw new CliProblem('no such certificate is in use; the service makes its own when it starts')
        answer(world, command, { json: { data: found.map(exportJson) }, text: found.map(exportText).join('\n') })
        return
      }
      const views = (await world.withDeps(listCertificates)).filter(isAsked)
      const rows = views.map((view) => [
        view.id,
        view.environment,
        view.tenantId ?? 'service',
        view.origin,
        view.state,
        view.validUntil ?? '-',
        view.subject ?? '-',
      ])
      const head = ['ID', 'ENVIRONMENT', 'OWNER', 'ORIGIN', 'STATE', 'VALID UNTIL', 'SUBJECT']
      answer(world, command, { json: { data: views.map(renderCertificate) }, text: table(head, rows) })
    })
}

function exportJson({ id, environment, tenantId, origin, chain, authority }: CertificateExport) {
  return { id, environment, tenant_id: tenantId, origin, chain, authority }
}

/** Text between the blocks is for people; readers of PEM pass over it (RFC 7468 §2). */
function exportText({ id, environment, tenantId, chain, authority }: CertificateExport): string {
  const whose = `${id}, ${environment}, ${tenantId ?? 'service'}`
  const above = authority === null ? [] : [`authority of ${whose}: for wallets that are to trust it\n`, authority]
  return [`access certificate ${whose}\n`, ...chain, ...above].join('').trimEnd()
}

function checkCountry(code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) throw new CliProblem('--country must be two capital letters, like DE')
  return code
}
