// How often a race is run: often enough to lose one that nothing decides, and many times that with `npm test -- --thorough`.

export const repeats = (usual: number, thorough: number): number =>
  process.env.VIDIMUS_FUZZ_RUNS === undefined ? usual : thorough
