// Deutsch: Prüfungen finden, und die Palette.

import type { enFinding } from '../en/finding.ts'

export const deFinding: typeof enFinding = {
  finding: {
    search: 'Suche',
    searchHint: 'Bestellnummer oder ID',
    exactly:
      'Suchen Sie nach einer ganzen Referenz oder einer Nummer darin, zum Beispiel „Bestellung 1024“ oder „1024“. Großschreibung, Leerzeichen und Bindestriche spielen keine Rolle.',
    go: 'Suchen',
    more: 'Weitere Filter',
    filters: 'Filter',
    from: 'Von',
    to: 'Bis',
    reason: 'Grund',
    channel: 'Kanal',
    asker: 'Erstellt von',
    reset: 'Filter zurücksetzen',
    export: 'Exportieren (CSV)',
    exportHint:
      'Bis zu 20.000 Zeilen, mit Ihren Referenzen, aber ohne persönliche Daten. Der Export wird im Protokoll vermerkt.',
    active: (n) => `${n} aktiv`,
    removeFilter: (filter) => `Filter entfernen: ${filter}`,
    applied: 'Aktive Filter',
    views: 'Gespeicherte Ansichten',
    saveView: 'Ansicht speichern',
    saveViewLead: 'Speichert diese Filter in diesem Browser, nur für Sie. Der Suchtext wird nicht gespeichert.',
    viewName: 'Name der Ansicht',
    removeView: (name) => `Ansicht „${name}“ entfernen`,
    palette: 'Suchen …',
    palettePages: 'Seiten',
    paletteActions: 'Aktionen',
    paletteHint: 'Seite, Aktion, Bestellnummer oder ID',
    paletteNone: 'Keine Treffer',
    paletteOpen: 'Prüfung öffnen',
    paletteSearch: (text) => `Prüfungen nach „${text}“ durchsuchen`,
    toLive: 'Zu Live wechseln',
    toTest: 'Zu Test wechseln',
    dark: 'Dunkles Design',
    light: 'Helles Design',
  },
}
