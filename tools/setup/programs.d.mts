export function installTestPrograms(): boolean[]
export function findBrowser(): string | null
export function findPostgres(): string | null
export function findRedis(): string | null
export function findPython(): string | null
export function findPythonWithCryptography(): string | null
export function findPhp(): string | null
export function findGo(): string | null
export function findSoftHsm(): string | null
