// Closed lists and limits of bodies: log.

export const WITNESS_STATES = ['cosigned', 'unreachable', 'refused', 'ahead', 'forked', 'not_asked'] as const
