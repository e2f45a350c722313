// English: finding verifications, and the palette.

export const enFinding = {
  finding: {
    search: 'Search',
    searchHint: 'Order number, purpose or id',
    exactly:
      'A reference is found by all of it, or by the number in it, as they were written: “Order 1024” or “1024”, not “102”. Of a purpose a part will do.',
    go: 'Search',
    more: 'More filters',
    filters: 'Filters',
    from: 'From',
    to: 'Until',
    reason: 'Reason',
    channel: 'Channel',
    asker: 'Asked by',
    reset: 'Clear filters',
    export: 'Export (CSV)',
    exportHint:
      'At most 20,000 rows, with your references and without anything the holders showed. It is noted in the audit trail.',
    active: (n: number) => `Filters set: ${n}`,
    palette: 'Go to …',
    paletteHint: 'Page, action, order number or id',
    paletteNone: 'Nothing is called like that.',
    paletteOpen: 'Open verification',
    paletteSearch: (text: string) => `Search verifications for “${text}”`,
    toLive: 'Switch to live',
    toTest: 'Switch to test',
    dark: 'Dark colours',
    light: 'Light colours',
  },
}
