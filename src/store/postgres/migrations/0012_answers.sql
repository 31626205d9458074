-- Requests that are to be done once however often they are sent, and how they were answered.
create table stint.answers (
  id text collate "C" primary key,
  fingerprint text not null,
  -- Null while it is being answered.
  status integer,
  body text,
  expires_at bigint not null
);
create index answers_expiry on stint.answers (expires_at);
