// German: how the hosted page looks.

import type { enBranding } from '../en/branding.ts'

export const deBranding: typeof enBranding = {
  title: 'Erscheinungsbild',
  lead: 'So sieht die gehostete Seite in dieser Umgebung aus. Wallets zeigen immer den Namen aus Ihrem Zertifikat.',
  name: 'Gezeigter Name',
  nameHint: (tenant) => `Bleibt das Feld leer, steht dort ${tenant}. Bei einem anderen Namen steht ${tenant} darunter.`,
  colour: 'Farbe',
  colourHint: 'Von Knöpfen und Marken. Text in ihr wird dunkler oder heller gemacht, bis ihn alle lesen können.',
  ownColour: 'Eigene Farbe verwenden',
  support: 'Hilfeseite',
  privacy: 'Datenschutzerklärung',
  linkHint: 'Eine https-Adresse. Leer gelassen gibt es keinen Link.',
  logo: 'Logo',
  logoHint: (kib) =>
    `SVG oder PNG, bis ${kib} KiB. Wir prüfen es und schreiben es neu, damit es keine Skripte, fremden Inhalte oder versteckten Daten enthält.`,
  removeLogo: 'Logo entfernen',
  preview: 'Vorschau',
  previewTitle: 'Die gehostete Seite, wie sie aussähe',
  screen: 'Bildschirm',
  state: 'Zustand',
  sizes: { desktop: 'Computer', phone: 'Telefon' },
  steps: { waiting: 'Wartet', completed: 'Fertig', declined: 'Abgelehnt' },
  language: 'Sprache',
  problems: {
    name: 'Der Name braucht einen Buchstaben oder eine Ziffer und darf keine unsichtbaren Zeichen haben.',
    colour: 'Eine Farbe sind sechs hexadezimale Ziffern, wie #1f5f5b.',
    support_url: 'Die Adresse der Hilfeseite muss mit https:// beginnen.',
    privacy_url: 'Die Adresse der Datenschutzerklärung muss mit https:// beginnen.',
    logo_too_large: 'Das Logo ist zu groß.',
    logo_not_a_picture:
      'Das ist kein SVG mit einer viewBox und kein ganzes PNG mit 16 bis 1024 Pixeln je Seite (ohne Interlacing).',
    logo_forbidden: 'Im Logo steht, was eine Zeichnung nicht braucht:',
  },
}
