// The public interface of retention for other features.

export { holdDays } from './store/day-partitions.ts'
export { searchAllExpired } from './store/overdue.ts'
export { readDayPartitions } from './usecases/make-days.ts'
