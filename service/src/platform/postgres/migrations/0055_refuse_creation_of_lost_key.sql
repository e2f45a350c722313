-- compatible_from: 0037
-- Called in the statement that writes a creation and commits, when another request took over the idempotency key. The error has a
-- code and a message of its own, and aborts the transaction.
create function refuse_creation_of_lost_key() returns int language plpgsql as $$
begin
  raise exception 'another request took the idempotency key' using errcode = 'VK001';
end
$$;
