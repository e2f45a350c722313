// States the version of this release, as package.json does.

export const VERSION = '0.1.0'
