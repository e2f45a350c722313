-- A verification that its merchant ended before anybody answered. To every reader it is an expired one; as a state of its own it
-- is over whatever a replica's clock says.
alter table verifications
  drop constraint verifications_status_check,
  drop constraint verifications_check,
  add constraint verifications_status_check check (status in ('pending', 'completed', 'failed', 'cancelled')),
  add constraint verifications_check check ((status in ('pending', 'cancelled')) = (responded_at is null));
