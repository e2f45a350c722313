// Decides how often a race is repeated; more often with `npm test -- --thorough`.

export const repeats = (usual: number, thorough: number): number =>
  process.env.VIDIMUS_FUZZ_RUNS === undefined ? usual : thorough
