// English: finding verifications, and the palette.

export const enFinding = {
  finding: {
    search: 'Search',
    searchHint: 'Order number, purpose or id',
    exactly:
      'A reference is found by all of it or by a number in it, for example “Order 1024” or “1024”. Upper case, spaces and hyphens do not matter.',
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
    views: 'Saved views',
    saveView: 'Save view',
    saveViewLead: 'Keeps these filters under a name, in this browser and for you only. A search text is not kept.',
    viewName: 'Name of the view',
    removeView: (name: string) => `Remove the view “${name}”`,
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
