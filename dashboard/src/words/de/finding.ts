// Deutsch: Prüfungen finden, und die Palette.

import type { enFinding } from '../en/finding.ts'

export const deFinding: typeof enFinding = {
  finding: {
    search: 'Suche',
    searchHint: 'Bestellnummer, Zweck oder Kennung',
    exactly:
      'Eine Referenz wird ganz oder an einer Nummer darin gefunden, zum Beispiel „Bestellung 1024“ oder „1024“. Großbuchstaben, Leer- und Bindezeichen sind gleichgültig.',
    go: 'Suchen',
    more: 'Weitere Filter',
    filters: 'Filter',
    from: 'Von',
    to: 'Bis',
    reason: 'Grund',
    channel: 'Weg',
    asker: 'Gefragt von',
    reset: 'Filter löschen',
    export: 'Ausgeben (CSV)',
    exportHint:
      'Höchstens 20.000 Zeilen, mit Ihren Referenzen und ohne Angaben der Befragten. Es wird im Protokoll vermerkt.',
    active: (n) => `Gesetzte Filter: ${n}`,
    views: 'Gespeicherte Ansichten',
    saveView: 'Ansicht speichern',
    saveViewLead:
      'Behält diese Filter unter einem Namen, in diesem Browser und nur für Sie. Ein Suchtext wird nicht behalten.',
    viewName: 'Name der Ansicht',
    removeView: (name) => `Ansicht „${name}“ entfernen`,
    palette: 'Gehe zu …',
    paletteHint: 'Seite, Handlung, Bestellnummer oder Kennung',
    paletteNone: 'So heißt nichts.',
    paletteOpen: 'Prüfung öffnen',
    paletteSearch: (text) => `Prüfungen zu „${text}“ suchen`,
    toLive: 'Zu Live wechseln',
    toTest: 'Zu Test wechseln',
    dark: 'Dunkle Farben',
    light: 'Helle Farben',
  },
}
