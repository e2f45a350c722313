// Deutsch: die Übersicht.

import type { enOverview } from '../en/overview.ts'

export const deOverview: typeof enOverview = {
  overview: {
    title: 'Übersicht',
    span: 'Zeitraum',
    spans: { day: '24 Stunden', week: '7 Tage', month: '30 Tage' },
    all: 'Prüfungen',
    rate: 'Erfolgsquote',
    rateHint: 'abgeschlossen, von allen beendeten',
    time: 'Zeit bis zur Antwort',
    timeHint: (p90) => `Median · 90 % binnen ${p90}`,
    waiting: 'Warten gerade',
    waitingHint: 'können noch beantwortet werden',
    noFigure: '–',
    before: { day: 'den 24 Stunden davor', week: 'den 7 Tagen davor', month: 'den 30 Tagen davor' },
    same: (before) => `wie in ${before}`,
    change: (by, before) => `${by} zu ${before}`,
    points: (by) => `${by} Punkte`,
    chart: 'Wie sie endeten',
    bar: (when, n) => `${when}: ${n.completed} abgeschlossen, ${n.failed} gescheitert, ${n.expired} abgelaufen`,
    nothing: 'In dieser Zeit endete keine',
    nothingLead:
      'Beendete Prüfungen erscheinen hier nach wenigen Sekunden: Ergebnis, Dauer und Grund, falls eine scheitert. Starten Sie eine Prüfung, oder wählen Sie einen längeren Zeitraum.',
    reasons: 'Woran sie scheiterten',
    noReasons: 'Keine scheiterte.',
    templates: 'Nach Vorlage',
    devices: 'Nach Gerät',
    goneDevice: 'ein Gerät, das es nicht mehr gibt',
    channels: 'Nach Weg',
    channelNames: {
      qr: 'QR-Code',
      same_device: 'Dasselbe Gerät',
      dc_api: 'Browser (Digital Credentials API)',
      openid: 'Anmeldung (OpenID)',
    },
    ofAll: (share) => `${share} abgeschlossen`,
    webhooks: 'Webhooks',
    webhooksWell: 'Alle Ziele nehmen an, was wir senden.',
    webhooksNone: 'In den letzten 24 Stunden war nichts zu senden.',
    deliveries: (n) => `Letzte 24 Stunden: ${n.delivered} zugestellt, ${n.waiting} unterwegs, ${n.failed} aufgegeben`,
    quota: 'Kontingent heute',
    steps: 'Noch zu tun',
  },
}
