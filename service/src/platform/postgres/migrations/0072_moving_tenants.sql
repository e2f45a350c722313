-- compatible_from: 0037
-- Moving a tenant to another installation. While `closed_until` is in the future, this installation does not serve the tenant: for
-- a moment while it moves, or for good; then `moved_to` is the address of the installation that does. The head of each audit trail
-- has the time too, because a writer that waits for its lock must see it. In the other installation `moved_from` is the address
-- under which verifications from before `arrived_at` were asked. An earlier release ignores all of it: run none during a move.
alter table tenants
  add column closed_until timestamptz,
  add column moved_to text,
  add column moved_from text,
  add column arrived_at timestamptz;
alter table audit_heads add column closed_until timestamptz;
