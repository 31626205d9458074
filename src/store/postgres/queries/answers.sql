-- name: holdAnswer
-- Whoever comes second waits here for the first to commit, and sees what it wrote.
insert into stint.answers (id, fingerprint, status, body, expires_at)
values (:id::text, :fingerprint::text, :status::integer, :body::text, :expires_at::bigint)
on conflict (id) do update set id = excluded.id
returning id, fingerprint, status, body, expires_at as "expiresAt", xmax = 0 as "isNew";

-- name: writeAnswer
insert into stint.answers (id, fingerprint, status, body, expires_at)
values (:id::text, :fingerprint::text, :status::integer, :body::text, :expires_at::bigint)
on conflict (id) do update set fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body,
  expires_at = excluded.expires_at;

-- name: removeAnswer
delete from stint.answers where id = :id::text;

-- name: sweepAnswers
delete from stint.answers using (
  select id from stint.answers where expires_at < :now::bigint order by expires_at limit 10 for update skip locked
) as old
where answers.id = old.id;
