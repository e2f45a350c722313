// The public interface of mail for other features.

export { type AlertFacts, isMailable, mailSealContext } from './domain/mail.ts'
export { endMailsAbout, endWaitingMails } from './store/mails.ts'
export { diagnoseMail } from './usecases/diagnose-mail.ts'
export { type Queued, queueMail } from './usecases/queue-mail.ts'
