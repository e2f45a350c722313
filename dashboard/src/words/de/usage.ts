// Deutsch: die Nutzung, ihre Vorhersage, und wer davon erfährt.

import type { enUsage } from '../en/usage.ts'

export const deUsage: typeof enUsage = {
  usage: {
    title: 'Nutzung',
    lead: 'Ihr Verbrauch des Kontingents. Test und Live teilen es sich; die Zahlen darunter gelten für diese Umgebung.',
    today: 'Heute',
    of: 'von',
    quotaLeft: (left) => `${left} übrig`,
    resets: (left) => `wird in ${left} zurückgesetzt`,
    forecast: 'Erwartet bis Mitternacht UTC',
    forecastEnough: 'Ihr Kontingent reicht.',
    forecastSpent: 'Verbraucht gegen',
    forecastOver: 'Ihr Kontingent von heute ist verbraucht.',
    forecastNone: 'Verfügbar nach dem ersten Tag.',
    month: 'Dieser Monat',
    monthEnd: (n) => `≈ ${n} bis zu seinem Ende`,
    monthNone: 'noch keine Vorhersage',
    noFigure: '–',
    days: (days) => `Nach Tag und Ausgang, letzte ${days} Tage`,
    day: 'Tag (UTC)',
    count: 'Angelegt, beide Umgebungen',
    empty: 'In den letzten 30 Tagen endete keine',
    emptyLead:
      'Beginnen Sie eine Prüfung: Sobald sie endet, wird sie hier binnen Sekunden nach Tag, Vorlage, Schlüssel und Gerät gezählt.',
    table: 'Als Tabelle',
    templates: 'Nach Vorlage',
    keys: 'Nach Schlüssel',
    devices: 'Nach Gerät',
    askers: { staff: 'Mitarbeitende (Dashboard)', openid: 'Anmeldungen (OpenID)' },
    goneKey: 'ein gelöschter Schlüssel',
    alerts: {
      title: 'Kontingent-Hinweise',
      lead: 'Wir senden einen signierten Webhook, wenn ein Tag einen Anteil des Kontingents erreicht: einmal je Anteil und Monat.',
      url: 'Webhook-Adresse',
      urlHint: 'Signiert mit dem Geheimnis der Webhooks dieser Umgebung.',
      at: 'Bei diesen Anteilen des Tageskontingents',
      percent: (n) => `${n} des Kontingents`,
      save: 'Speichern',
      stop: 'Hinweise ausschalten',
      stopTitle: 'Hinweise ausschalten?',
      stopLead:
        'Es wird kein Hinweis gesendet, wenn das Kontingent zu Ende geht. Bereits gesendete bleiben im Protokoll.',
      nobody: 'Hinweise sind aus. Ein Admin kann sie einschalten.',
      told: (host) => `Hinweise gehen an ${host}.`,
      noShare: 'Wählen Sie mindestens einen Anteil.',
      sample: 'Was wir senden',
      thisMonth: 'Diesen Monat erreicht',
      states: { delivered: 'gesendet', pending: 'wird gesendet', failed: 'fehlgeschlagen' },
    },
  },
}
