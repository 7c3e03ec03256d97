-- Which program made the projections: one whose tables or rules differ replays the log before it answers anything.
create table projection_state (
    id integer primary key,
    -- SHA-256 over the projections' tables and the number of their rules
    made_by blob not null,
    constraint projection_state_id_check check (id = 1),
    constraint projection_state_made_by_check check (length(made_by) = 32)
) strict;
