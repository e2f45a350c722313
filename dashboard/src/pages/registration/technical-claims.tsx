// The technical names of claims, folded, for people who compare them with a certificate or a query.

import { type NamedClaim, pathText } from '../../claims-in-words.ts'
import { usePageWords } from '../../preferences.tsx'
import { Mono } from '../../ui/parts.tsx'
import { registrationProblemWords } from '../../words/registration-problems.ts'

export function TechnicalClaims({ claims }: { claims: readonly NamedClaim[] }) {
  const words = usePageWords(registrationProblemWords)
  return (
    <details className="mt-2 text-[13px]">
      <summary className="min-h-6">{words.technical}</summary>
      <TechnicalList claims={claims} />
    </details>
  )
}

export function TechnicalList({ claims }: { claims: readonly NamedClaim[] }) {
  return (
    <ul className="mt-1 space-y-0.5">
      {claims.map(({ types, path }) => (
        <li key={`${types.join()} ${JSON.stringify(path)}`}>
          <Mono>{[types.join(', '), ...(path === null ? [] : [pathText(path)])].join(' › ')}</Mono>
        </li>
      ))}
    </ul>
  )
}
