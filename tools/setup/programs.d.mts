export function installTestPrograms(): boolean[]
export function findBrowser(): string | null
export function findPostgres(): string | null
export function findRedis(): string | null
