-- Holds the number of a migration of another branch; gone with the merge.
select 1;
