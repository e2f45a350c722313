// Detects common passwords (NIST SP 800-63B): they have few characters besides common words and rows of keys.

/** Frequent words in lists of leaked passwords, in the languages of our staff, and passwords that our own texts suggest. */
const WORDS =
  `password passwort passwords kennwort motdepasse contrasena contrasenya senha wachtwoord parola passord haslo heslo
  pass pwd admin administrator root user username guest test testing tester demo default login signin secret geheim master
  welcome willkommen bienvenue bienvenido benvenuto welkom hello hallo bonjour hola ciao letmein changeme change trustno
  iloveyou loveyou love liebe jetaime teamo tiamo ichliebedich schatz sunshine princess dragon monkey shadow superman batman spiderman pokemon
  football fussball baseball basketball soccer hockey liverpool chelsea arsenal barcelona realmadrid juventus bayern dortmund
  michael jennifer jessica michelle daniel thomas andreas christian alexander nicole charlie jordan ashley
  summer sommer winter spring fruehling autumn herbst january february march april june july august september october november december
  januar februar maerz juni juli oktober dezember monday tuesday wednesday thursday friday saturday sunday
  computer internet google facebook microsoft windows apple samsung starwars matrix freedom whatever cheese chocolate killer
  ninja mustang access flower cookie pepper hunter ranger buster ginger summer banana orange purple silver golden
  qwertz azerty asdf yxcv zaq company firma shop store dashboard vidimus verifier verify wallet identity correct horse battery staple`.split(
    /\s+/,
  )

/** Neighbouring keys in both directions on common keyboards; the alphabet and the digits. */
const ROWS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'qsdfghjklm',
  'zxcvbnm',
  'yxcvbnm',
  'wxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  '1q2w3e4r5t6y7u8i9o0p',
  'qazwsxedcrfvtgbyhnujmikolp',
].flatMap((row) => [row, [...row].reverse().join('')])
const ROW_MIN = 3

/** Symbols that people write in place of a letter. */
const LETTERS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** The minimum number of characters outside of common parts. */
const OWN_MIN = 5

export function isCommonPassword(password: string): boolean {
  const plain = password.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')
  // Spaces and symbols between words add little. The text is checked twice: with symbols as letters, and as symbols.
  const spelt = [...plain].map((sign) => LETTERS[sign] ?? sign).join('')
  return [plain, spelt].some((text) => ownCharacters(text.replaceAll(/[^\p{L}\p{N}]/gu, '')) < OWN_MIN)
}

/** Returns how many characters remain after as many common parts as possible are removed. */
function ownCharacters(text: string): number {
  const left = new Array<number>(text.length + 1).fill(0)
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const lengths = commonLengths(text, at)
    left[at] = Math.min(1 + (left[at + 1] ?? 0), ...lengths.map((length) => left[at + length] ?? 0))
  }
  return left[0] ?? 0
}

function commonLengths(text: string, at: number): number[] {
  const words = WORDS.filter((word) => text.startsWith(word, at)).map((word) => word.length)
  const rows = ROWS.map((row) => sharedLength(row, text, at)).filter((length) => length >= ROW_MIN)
  const repeated = /^(.{1,4})\1+/u.exec(text.slice(at))?.[0].length ?? 0
  // Any number is a common part, such as a year or a date.
  const digits = /^\d+/.exec(text.slice(at))?.[0].length ?? 0
  return [...words, ...rows, ...(repeated >= ROW_MIN ? [repeated] : []), ...(digits > 0 ? [Math.min(digits, 8)] : [])]
}

/** Returns how many characters of the text, from `at` on, also follow each other in the row. */
function sharedLength(row: string, text: string, at: number): number {
  const begin = row.indexOf(text[at] ?? ' ')
  if (begin < 0) return 0
  let length = 0
  while (begin + length < row.length && row[begin + length] === text[at + length]) length += 1
  return length
}
