// Deutsch: Prüfungen finden, und die Palette.

import type { enFinding } from '../en/finding.ts'

export const deFinding: typeof enFinding = {
  finding: {
    search: 'Suche',
    searchIn: 'Suchen in',
    searchHint: 'Bestellnummer …',
    kinds: { metadata: 'Referenz, Metadaten', purpose: 'Zweck', id: 'Kennung' },
    go: 'Suchen',
    more: 'Weitere Filter',
    from: 'Von',
    to: 'Bis',
    reason: 'Grund',
    channel: 'Weg',
    asker: 'Gefragt von',
    reset: 'Filter löschen',
    export: 'Ausgeben (CSV)',
    exportHint: 'Höchstens 20.000 Zeilen, ohne Angaben der Befragten. Es wird im Protokoll vermerkt.',
    active: (n) => `Gesetzte Filter: ${n}`,
    palette: 'Gehe zu …',
    paletteHint: 'Seite, Handlung oder Kennung einer Prüfung',
    paletteNone: 'So heißt nichts.',
    paletteOpen: 'Prüfung öffnen',
    paletteSearch: (text) => `Referenz „${text}“ suchen`,
    toLive: 'Zu Live wechseln',
    toTest: 'Zu Test wechseln',
    dark: 'Dunkle Farben',
    light: 'Helle Farben',
  },
}
