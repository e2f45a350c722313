// Shows the address of a link, to copy, mail or print. Asks before it is closed if a new address was not used yet.

import { useState } from 'react'
import type { CreatedLink } from '../../../../wire/links.ts'
import { usePageWords, usePreferences } from '../../preferences.tsx'
import { useHere } from '../../session.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Button, buttonClass, Copy, Note } from '../../ui/parts.tsx'
import { Qr } from '../../ui/qr.tsx'
import { localeOf } from '../../ui/time.tsx'
import { linkWords } from '../../words/links.ts'
import { mailTo } from '../verifications/open-verification.tsx'
import { pngOf, save, svgOf } from './qr-file.ts'

export function LinkAddress({ link, isNew, onClose }: { link: CreatedLink; isNew: boolean; onClose(): void }) {
  const { words, language } = usePreferences()
  const here = useHere()
  const pageWords = usePageWords(linkWords)
  const [taken, setTaken] = useState(!isNew)
  const name = `link-${link.template ?? 'query'}-${link.id.slice(-6)}`
  const take = async (extension: string, file: Blob | Promise<Blob>) => {
    save(await file, `${name}.${extension}`)
    setTaken(true)
  }
  const until = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeStyle: 'short' })
  const merchant = here.tenant.name
  const mail = words.asking.mailText({
    merchant,
    purpose: link.purpose ?? null,
    link: link.url,
    until: until.format(new Date(link.ends_at)),
  })
  return (
    <Dialog title={isNew ? pageWords.ready : pageWords.qr} onClose={onClose} unsaved={!taken}>
      {isNew ? (
        <Note tone="warn">
          <p className="font-semibold">{pageWords.saveNow}</p>
          <p>{pageWords.readyLead}</p>
        </Note>
      ) : (
        <p className="mb-5 text-soft">{pageWords.shownLead}</p>
      )}
      <h3 className="mb-1 text-sm font-medium">{pageWords.address}</h3>
      <p className="mb-2 rounded-lg bg-sunken px-3 py-2 font-mono text-[13px] break-all select-all">{link.url}</p>
      <div className="flex flex-wrap gap-2">
        <Copy text={link.url} label={words.asking.copyLink} tone="primary" onCopied={() => setTaken(true)} />
        <a
          href={mailTo(words.asking.mailSubject(merchant), mail)}
          onClick={() => setTaken(true)}
          className={buttonClass('plain')}
        >
          <Icon name="mail" />
          {pageWords.mail}
        </a>
      </div>
      <div className="mt-6 flex flex-wrap items-center gap-x-6 gap-y-4 border-t border-line pt-6">
        <Qr text={link.url} label={pageWords.qr} />
        <div className="flex flex-col gap-2">
          <Button icon="download" onClick={() => take('svg', svgOf(link.url))}>
            {pageWords.svg}
          </Button>
          <Button icon="download" onClick={() => take('png', pngOf(link.url))}>
            {pageWords.png}
          </Button>
        </div>
      </div>
      <DialogFoot>
        {!taken && (
          <span id="take-first" className="mr-auto self-center text-sm text-soft">
            {pageWords.takeFirst}
          </span>
        )}
        <Button
          tone={taken ? 'primary' : 'plain'}
          onClick={onClose}
          disabled={!taken}
          aria-describedby={taken ? undefined : 'take-first'}
        >
          {pageWords.done}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
