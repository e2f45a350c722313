-- compatible_from: 0072
-- The tenant with whose copy an account came here, while this installation does not serve that tenant: the account goes with the copy.
alter table people add column came_with text references tenants (id);

-- When this installation learned that a tenant which has moved away is open at its new one: a day later its rows here are deleted.
alter table tenants add column opened_there_at timestamptz;
