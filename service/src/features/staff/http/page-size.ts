// How many rows a page of the dashboard shows.

export const PAGE_SIZE = 50
