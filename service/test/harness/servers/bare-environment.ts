// What a process of ours that is to start from nothing finds in its environment: its programs, and code that was compiled
// before, which saves each process a second. It has no settings, keys or home folder of the person who runs the tests.

export const BARE_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? '',
  ...(process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
}
