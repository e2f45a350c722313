// The "forgot password" link next to a password field.

import { Link } from 'react-router'
import { useWords } from '../../preferences.tsx'

export function LostAccessLink() {
  const words = useWords()
  return (
    <Link to="/lost-access" className="absolute top-0 right-0 text-sm text-accent underline">
      {words.lostAccess.link}
    </Link>
  )
}
