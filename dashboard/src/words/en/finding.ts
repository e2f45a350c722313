// English: finding verifications, and the palette.

export const enFinding = {
  finding: {
    search: 'Search',
    searchHint: 'Order number, purpose or ID',
    exactly:
      'Search for a whole reference or a number in it, such as “Order 1024” or “1024”. Capital letters, spaces and hyphens do not matter.',
    go: 'Search',
    more: 'More filters',
    filters: 'Filters',
    from: 'From',
    to: 'Until',
    reason: 'Reason',
    channel: 'Channel',
    asker: 'Created by',
    reset: 'Clear filters',
    export: 'Export (CSV)',
    exportHint:
      'Up to 20,000 rows, with your references but no personal data. The export is recorded in the audit trail.',
    active: (n: number) => (n === 1 ? '1 active' : `${n} active`),
    removeFilter: (filter: string) => `Remove filter: ${filter}`,
    applied: 'Active filters',
    views: 'Saved views',
    saveView: 'Save view',
    saveViewLead: 'Saves these filters in this browser, for you only. The search text is not saved.',
    viewName: 'View name',
    removeView: (name: string) => `Remove the view “${name}”`,
    palette: 'Go to …',
    paletteHint: 'Page, action, order number or ID',
    paletteNone: 'No results',
    paletteOpen: 'Open verification',
    paletteSearch: (text: string) => `Search verifications for “${text}”`,
    toLive: 'Switch to live',
    toTest: 'Switch to test',
    dark: 'Dark theme',
    light: 'Light theme',
  },
}
