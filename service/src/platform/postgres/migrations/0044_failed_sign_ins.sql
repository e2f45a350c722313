-- compatible_from: 0037
-- Failed sign-ins of each member of staff since the last audit entry about them: one entry an hour at most, with their number.
alter table people
  add column failed_sign_ins integer not null default 0,
  add column failures_recorded_at timestamptz;
