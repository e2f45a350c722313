// German: how the hosted page looks.

import type { enBranding } from '../en/branding.ts'

export const deBranding: typeof enBranding = {
  title: 'Erscheinungsbild',
  lead: 'So sehen die gehostete Seite, Ihre Kassen und deren Kundenanzeigen in dieser Umgebung aus. Wallets zeigen immer den Namen aus Ihrem Zertifikat.',
  name: 'Gezeigter Name',
  nameHint: (tenant) => `Bleibt das Feld leer, steht dort ${tenant}. Bei einem anderen Namen steht ${tenant} darunter.`,
  colour: 'Farbe',
  colourHint:
    'Für Knöpfe, Links und Marken. Ist ihr Kontrast zu gering, bekommen Knöpfe einen Rand und Text wird dunkler oder heller; die Vorschau sagt es.',
  ownColour: 'Eigene Farbe verwenden',
  background: 'Hintergrund',
  backgroundHint:
    'Der gehosteten Seite, um die Karte herum. Auf dunklen Bildschirmen nehmen wir einen dunklen Ton davon.',
  ownBackground: 'Eigenen Hintergrund verwenden',
  radius: 'Ecken',
  radii: { none: 'Eckig', small: 'Leicht gerundet', medium: 'Gerundet', large: 'Stark gerundet' },
  font: 'Schrift',
  fonts: {
    system: 'Systemschrift',
    inter: 'Inter',
    nunito: 'Nunito',
    source_serif: 'Source Serif',
    atkinson: 'Atkinson Hyperlegible',
  },
  support: 'Hilfeseite',
  privacy: 'Datenschutzerklärung',
  linkHint: 'Eine https-Adresse. Leer gelassen gibt es keinen Link.',
  helpText: 'Text, wenn eine Prüfung scheitert',
  helpTextHint: 'Ein oder zwei Sätze, die beim Grund stehen. Zum Beispiel: „Rufen Sie uns an: 030 123456.“',
  logos: { logo: 'Logo', logo_dark: 'Logo für dunkle Bildschirme' },
  logoDarkHint: 'Bleibt es leer, steht dort auch das andere Logo.',
  logoHint: (kib) =>
    `SVG oder PNG, bis ${kib} KiB. Wir prüfen es und schreiben es neu, damit es keine Skripte, fremden Inhalte oder versteckten Daten enthält.`,
  removeLogo: { logo: 'Logo entfernen', logo_dark: 'Logo für dunkle Bildschirme entfernen' },
  preview: 'Vorschau',
  previewTitle: 'Die gehostete Seite, wie sie aussähe',
  screen: 'Bildschirm',
  state: 'Zustand',
  sizes: { desktop: 'Computer', phone: 'Telefon' },
  theme: 'Farbschema',
  themes: { light: 'Hell', dark: 'Dunkel' },
  corrected: {
    button: (colour) =>
      `Ihre Farbe ist als Knopf hier schlecht zu sehen. Der Knopf bekommt einen Rand in ${colour} (Kontrast 3 zu 1).`,
    text: (colour) =>
      `Ihre Farbe ist als Text hier schlecht zu lesen. Links stehen stattdessen in ${colour} (Kontrast 4,5 zu 1).`,
  },
  steps: { waiting: 'Wartet', completed: 'Fertig', declined: 'Abgelehnt' },
  language: 'Sprache',
  problems: {
    name: 'Der Name braucht einen Buchstaben oder eine Ziffer und darf keine unsichtbaren Zeichen haben.',
    colour: 'Eine Farbe sind sechs hexadezimale Ziffern, wie #1f5f5b.',
    background: 'Eine Farbe sind sechs hexadezimale Ziffern, wie #f4efe6.',
    radius: 'Wählen Sie eine der genannten Ecken.',
    font: 'Wählen Sie eine der genannten Schriften.',
    help_text: 'Der Text braucht einen Buchstaben oder eine Ziffer und darf keine Zeilenumbrüche haben.',
    support_url: 'Die Adresse der Hilfeseite muss mit https:// beginnen.',
    privacy_url: 'Die Adresse der Datenschutzerklärung muss mit https:// beginnen.',
    logo_too_large: 'Das Logo ist zu groß.',
    logo_not_a_picture:
      'Das ist kein SVG mit einer viewBox und kein ganzes PNG mit 16 bis 1024 Pixeln je Seite (ohne Interlacing).',
    logo_forbidden: 'Im Logo steht, was eine Zeichnung nicht braucht:',
  },
}
