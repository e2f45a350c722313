-- compatible_from: 0037
-- Number and time of the newest issue that a list has loaded as each kind other than its own, so that an older one stays a
-- replay if the kind is set back. An earlier release leaves it as it is, and forgets both where it sets a kind.
alter table trust_lists add column other_issues jsonb not null default '{}';
alter table trust_lists alter column other_issues set statistics 0;
