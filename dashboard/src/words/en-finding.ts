// English: finding verifications, and the palette.

export const enFinding = {
  finding: {
    search: 'Search',
    searchIn: 'Search in',
    kinds: { metadata: 'Reference, metadata', purpose: 'Purpose', id: 'Id' },
    go: 'Search',
    more: 'More filters',
    from: 'From',
    to: 'Until',
    reason: 'Reason',
    channel: 'Channel',
    asker: 'Asked by',
    reset: 'Clear filters',
    export: 'Export (CSV)',
    exportHint: 'At most 20,000 rows, without anything of the holders. It is noted in the audit trail.',
    active: (n: number) => `Filters set: ${n}`,
    palette: 'Go to …',
    paletteHint: 'Page, action or id of a verification',
    paletteNone: 'Nothing is called like that.',
    paletteOpen: 'Open verification',
    paletteSearch: (text: string) => `Search references for “${text}”`,
    toLive: 'Switch to live',
    toTest: 'Switch to test',
    dark: 'Dark colours',
    light: 'Light colours',
  },
}
