// Deutsch: die Übersicht.

import type { enOverview } from '../en/overview.ts'

export const deOverview: typeof enOverview = {
  overview: {
    title: 'Übersicht',
    span: 'Zeitraum',
    spans: { day: '24 Stunden', week: '7 Tage', month: '30 Tage' },
    all: 'Prüfungen',
    rate: 'Erfolgsquote',
    rateHint: 'aller beendeten Prüfungen',
    time: 'Zeit bis zur Antwort',
    timeHint: (p90) => `Median. 90\u00a0% antworten in ${p90}`,
    waiting: 'Wartend',
    waitingHint: 'noch nicht beantwortet',
    noFigure: '–',
    before: {
      day: 'gegenüber den 24 Stunden davor',
      week: 'gegenüber den 7 Tagen davor',
      month: 'gegenüber den 30 Tagen davor',
    },
    same: (before) => `unverändert ${before}`,
    change: (by, before) => `${by} ${before}`,
    points: (by) => `${by} Prozentpunkte`,
    chart: 'Prüfungen',
    bar: (when, n) => `${when}: ${n.completed} abgeschlossen, ${n.failed} fehlgeschlagen, ${n.expired} abgelaufen`,
    nothing: 'Keine beendeten Prüfungen in diesem Zeitraum',
    nothingLead:
      'Beendete Prüfungen erscheinen hier nach wenigen Sekunden. Starten Sie eine, oder wählen Sie einen längeren Zeitraum.',
    reasons: 'Gründe für Fehlschläge',
    noReasons: 'Keine fehlgeschlagenen Prüfungen.',
    templates: 'Nach Vorlage',
    devices: 'Nach Gerät',
    goneDevice: 'Entferntes Gerät',
    channels: 'Nach Kanal',
    channelsNote: (answered, expired) =>
      `${answered} beantwortet. ${expired} sind ohne Antwort abgelaufen und haben deshalb keinen Kanal.`,
    channelNames: {
      qr: 'QR-Code',
      same_device: 'Dasselbe Gerät',
      dc_api: 'Browser (Digital Credentials API)',
      openid: 'Anmeldung (OpenID)',
    },
    ofAll: (share) => `${share} abgeschlossen`,
    webhooks: 'Webhooks',
    webhooksNone: 'Keine Ereignisse in den letzten 24 Stunden.',
    attempts: (accepted, all) => `Letzte 24 Stunden: ${accepted} von ${all} Versuchen angenommen`,
    quotaNear: (share) => `Sie haben ${share} des heutigen Kontingents verbraucht`,
    quota: 'Kontingent heute',
    steps: 'Noch zu erledigen',
  },
}
