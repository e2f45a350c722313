// `vidimus mail test`: sends a test mail.

import type { Command } from 'commander'
import type { CliWorld } from '../../../cli/world.ts'
import { answer, CliProblem } from '../../../platform/cli/print.ts'
import { sendTestMail, TURN_MAIL_ON } from '../usecases/diagnose-mail.ts'

export function addMailCommands(program: Command, world: CliWorld): void {
  const mail = program
    .command('mail')
    .description('the mail server that invitations and links for lost passwords are sent through')
  mail
    .command('test')
    .description('send a test mail to an address now')
    .argument('<address>')
    .action(async (to: string, _options: object, command: Command) => {
      const sent = await world.withDeps((deps) => sendTestMail(deps, { to, language: 'en' }))
      if (sent === null) throw new CliProblem(`mail is off: ${TURN_MAIL_ON}`)
      if (!sent.ok) throw new CliProblem(sent.remedy === null ? sent.finding : `${sent.finding} → ${sent.remedy}`, 1)
      answer(world, command, {
        json: { outcome: 'sent' },
        text: `${sent.finding}. Look into the mailbox, and into its spam folder.\n`,
      })
    })
}
