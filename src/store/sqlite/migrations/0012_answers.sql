-- Requests that are to be done once however often they are sent, and how they were answered.
create table answers (
  id text primary key,
  fingerprint text not null,
  -- Null while it is being answered.
  status integer,
  body text,
  expires_at integer not null
) strict, without rowid;
create index answers_expiry on answers (expires_at);
