-- Anybody may begin a sign-in, and each spends one of the tenant's day. Those of test, and those of live whose code no client has
-- brought yet, may be so many; the rest of the day stays with the tenant's keys and devices.
alter table usage_days
  add column test_sign_ins integer not null default 0 check (test_sign_ins >= 0),
  add column live_sign_ins integer not null default 0 check (live_sign_ins >= 0);

-- The day of whose share a sign-in holds one; null: of none.
alter table oidc_authorizations add column share_day date;
