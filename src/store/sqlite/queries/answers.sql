-- name: readAnswer
select id, fingerprint, status, body, expires_at as expiresAt from answers where id = :id;

-- name: writeAnswer
insert into answers (id, fingerprint, status, body, expires_at)
values (:id, :fingerprint, :status, :body, :expires_at)
on conflict (id) do update set fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body,
  expires_at = excluded.expires_at;

-- name: removeAnswer
delete from answers where id = :id;

-- name: sweepAnswers
delete from answers where id in (select id from answers where expires_at < :now order by expires_at limit 10);
