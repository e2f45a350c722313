// Defines the public interface of links for other features.

export { linkSealContext } from './domain/link.ts'
export { emptyLinks } from './store/links.ts'
export { revokeLink } from './usecases/revoke-link.ts'
