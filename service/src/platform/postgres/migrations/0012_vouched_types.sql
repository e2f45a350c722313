-- What an anchor or a list may vouch for names its format: `dc+sd-jwt:<vct>` or `mso_mdoc:<docType>`, `*` for every type of it.

-- Until now a type was a bare name that matched both a vct and a docType. A vct is a URN or an address and has a colon, a docType
-- is a reversed domain and has none; an IACA and a VICAL vouch for mdocs alone.
create function pg_temp.with_format(types text[], mdoc_only boolean) returns text[] language sql immutable as $$
  select coalesce(array_agg(distinct format || ':' || type), '{}')
  from unnest(types) as type, unnest(array['dc+sd-jwt', 'mso_mdoc']) as format
  where case
    when mdoc_only then format = 'mso_mdoc'
    when type = '*' then true
    else format = case when position(':' in type) > 0 then 'dc+sd-jwt' else 'mso_mdoc' end
  end
$$;

-- A VICAL was believed for whatever it named. Where the operator named no type it is a list of authorities of driving licences.
update trust_lists set types = '{org.iso.18013.5.1.mDL}' where kind = 'vical' and types = '{}';
update trust_lists set types = pg_temp.with_format(types, kind = 'vical');

alter table anchors drop constraint anchors_types_check;
-- `*` was never a list's to grant.
update anchors set types = array_remove(types, '*') where list_id in (select id from trust_lists where kind = 'vical');
update anchors set types = pg_temp.with_format(types, profile = 'iso-mdl');
-- What a list names narrows what the operator granted the list.
update anchors a set types = array(
  select type from unnest(a.types) as type
  where type = any (l.types) or split_part(type, ':', 1) || ':*' = any (l.types)
)
from trust_lists l where l.id = a.list_id;
delete from anchors where types = '{}';
alter table anchors add check (cardinality(types) > 0);

drop function pg_temp.with_format;

-- `exact`: a signer by its bytes, whatever else is wrong with it. As `pinned` it stands in test alone.
alter table anchors drop constraint anchors_kind_check;
alter table anchors add check (kind in ('ca', 'pinned', 'exact'));

-- Who issued the certificate of a list's signer, and so keeps its revocation list; null where nobody told us.
alter table trust_lists add column signer_authority bytea;

-- A list that does not say when the next one comes is good for 90 days.
update trust_lists set next_update_at = issued_at + interval '90 days' where next_update_at is null;
