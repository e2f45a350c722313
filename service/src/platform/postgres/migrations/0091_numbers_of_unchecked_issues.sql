-- compatible_from: 0037
-- The release before 0047 read a list without checking its kind, so the issue that it loaded may be of another list of the publisher,
-- which counts on its own. Its number is not compared with the first one that is checked: that one may be right and have a smaller
-- number. Its time still is, so that an older issue stays a replay. keys_sha256 shows who loaded the issue (0071); a VICAL has no kind.
update trust_lists set sequence = null
where providers is not null and kind <> 'vical' and source ~* '^https?://'
  and loaded_at is not null and (keys_sha256 = sha256) is not true;
