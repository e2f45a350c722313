// Deutsch: die Nutzung, ihre Vorhersage, und wer davon erfährt.

import type { enUsage } from '../en/usage.ts'

export const deUsage: typeof enUsage = {
  usage: {
    title: 'Nutzung',
    lead: 'Was gefragt wurde, gegen Ihr Kontingent. Test und Live zählen dafür zusammen; was weiter unten steht, ist aus dieser Umgebung.',
    today: 'Heute',
    of: 'von',
    quotaLeft: (left) => `${left} übrig`,
    resets: (left) => `beginnt in ${left} neu`,
    forecast: 'Erwartet bis Mitternacht UTC',
    forecastEnough: 'Ihr Kontingent reicht.',
    forecastSpent: 'Verbraucht gegen',
    forecastOver: 'Ihr Kontingent von heute ist verbraucht.',
    forecastNone: 'Nach einem ersten Tag lässt es sich sagen.',
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
    goneKey: 'ein Schlüssel, den es nicht mehr gibt',
    alerts: {
      title: 'Bescheid geben, bevor das Kontingent verbraucht ist',
      lead: 'Wir senden einen signierten Webhook, wenn ein Tag einen Anteil des Kontingents erreicht: einmal je Anteil und Monat.',
      url: 'Webhook-Adresse',
      urlHint: 'Signiert mit dem Geheimnis der Webhooks dieser Umgebung.',
      at: 'Bei diesen Anteilen des Tageskontingents',
      percent: (n) => `${n} des Kontingents`,
      save: 'Speichern',
      stop: 'Nicht mehr Bescheid geben',
      stopTitle: 'Niemandem mehr Bescheid geben?',
      stopLead:
        'Niemand erfährt, dass das Kontingent zu Ende geht. Was diesen Monat gemeldet wurde, bleibt im Protokoll.',
      nobody: 'Niemand bekommt Bescheid. Ein Admin kann das ändern.',
      told: (host) => `${host} bekommt Bescheid.`,
      noShare: 'Wählen Sie mindestens einen Anteil.',
      sample: 'Was wir senden',
      thisMonth: 'Diesen Monat erreicht',
      states: { delivered: 'gemeldet', pending: 'wird gemeldet', failed: 'nicht angenommen' },
    },
  },
}
