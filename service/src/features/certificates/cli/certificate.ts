// `vidimus receipt certificate`: writes the certificate of a verification as a PDF.

import { writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type { CliWorld } from '../../../cli/world.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { Refusal } from '../../../platform/errors.ts'
import { ENVIRONMENTS, type Environment } from '../../../platform/world.ts'
import { CERTIFICATE_WORDS } from '../domain/words.ts'
import { type CertifiedVerification, readCertificate } from '../usecases/read-certificate.ts'

interface Options {
  readonly tenant: string
  readonly environment: Environment
  readonly language: keyof typeof CERTIFICATE_WORDS
  readonly out: string
}

type Render = (
  certified: CertifiedVerification,
  at: { readonly baseUrl: string; readonly language: Options['language'] },
) => Promise<{ readonly pdf: string }>

export function addCertificateCommand(receipt: Command, world: CliWorld, render: Render): void {
  receipt
    .command('certificate')
    .description('write the certificate of a verification that has ended, as a PDF without personal data')
    .argument('<verification>', 'its id')
    .requiredOption('--tenant <tenant>', "the tenant's id")
    .addOption(new Option('--environment <environment>').choices(ENVIRONMENTS).default('live'))
    .addOption(new Option('--language <language>').choices(Object.keys(CERTIFICATE_WORDS)).default('en'))
    .requiredOption('--out <file>', 'where to write it')
    .action(async (id: string, { tenant, environment, language, out }: Options, command: Command) => {
      const realm = { tenantId: tenant, environment }
      const { pdf } = await world.withDeps(async (deps) => {
        const certified = await readCertificate(deps, realm, id).catch((error: unknown) => {
          if (!(error instanceof Refusal)) throw error
          throw new CliProblem(WHY_NOT[error.code] ?? error.message)
        })
        return render(certified, { baseUrl: deps.config.baseUrl, language })
      })
      await writeFile(out, pdf, 'latin1')
      answer(world, command, { json: { file: out }, text: `Written to ${out}.` })
    })
}

const WHY_NOT: Readonly<Record<string, string>> = {
  session_not_found: 'no verification with this id has a receipt',
  unavailable: 'its receipt is not in the log yet: try again in a minute',
}
