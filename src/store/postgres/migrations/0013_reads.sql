-- What people look for among very many jobs that have completed. An index here holds only what is rare, and a job that is plain
-- from its submission to its end is in none of them: its row is written once, with none of these.

-- An open attempt that no worker holds (state 1); those that one holds have claims.
create index jobs_open on stint.jobs (pk) where state = 1;
-- Jobs that wait for others (phase 0) have no seat.
create index jobs_pending on stint.jobs (pk) where phase = 0;
create index jobs_cancelled on stint.jobs (pk) where cancelled = 1;
create index jobs_outcome on stint.jobs (outcome, pk) where outcome > 0;
-- Also of jobs that are over; who lives and has a key is in keys.
create index jobs_keyed on stint.jobs (key, pk) where key is not null;
