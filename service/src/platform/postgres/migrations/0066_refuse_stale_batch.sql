-- compatible_from: 0037
-- Called in a statement that writes a whole batch and commits, when the store is not as the process remembered it. The error has a code
-- of its own, and aborts the transaction.
create function refuse_stale_batch() returns int language plpgsql as $$
begin
  raise exception 'another writer changed what this batch was prepared for' using errcode = 'VK002';
end
$$;
