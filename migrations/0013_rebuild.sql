-- Rebuilds: who says of which run that its plan came out again, or did not. What counts is judged from the entries.
create table rebuild (
    idx integer primary key,
    run text not null,
    -- the run in which it was built again; none where nothing was built
    rebuilt text,
    verdict text not null
) strict;
create index rebuild_run_idx on rebuild (run, idx);
create index rebuild_rebuilt_idx on rebuild (rebuilt, idx) where rebuilt is not null;
