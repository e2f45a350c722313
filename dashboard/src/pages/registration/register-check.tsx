// The result of the last check in the national register.

import type { Trust } from '../../../../wire/trust.ts'
import { useWords } from '../../preferences.tsx'
import { Mono, Note } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'

export function RegisterCheck({ register }: { register: Trust['register'] }) {
  const words = useWords()
  if (register === null) return null
  return (
    <section>
      <h2 className="mb-3 font-semibold">{words.trust.register}</h2>
      {register.outcome === 'same' ? (
        <p className="text-soft">
          {words.trust.registerSame} <Time at={register.looked_at} />
        </p>
      ) : (
        register.findings.map(({ code, detail }) => (
          <Note key={`${code} ${detail}`} tone="warn">
            {words.trust.findings[code]} <Mono>{detail}</Mono>
          </Note>
        ))
      )}
    </section>
  )
}
