-- The head of each audit chain bears a MAC whose key is not in the database: whoever writes a chain anew cannot write this anew.
-- null: the chain is from before, and an operator has not adopted it yet.
alter table audit_heads add column mac bytea check (octet_length(mac) = 32);

-- Who invited: their open invitations end when they are removed or no longer owner. null: the operator.
alter table sign_in_links add column invited_by text references people (id);
create index sign_in_links_by_inviter on sign_in_links (invited_by) where used_at is null;
-- Of older ones nobody knows who made them. They would have ended within a day.
delete from sign_in_links where used_at is null and not by_operator;

-- The first sign-in that was not the invitation which opened the account. null: nobody has come back to it yet.
alter table people add column signed_in_at timestamptz;
update people set signed_in_at = created_at;
