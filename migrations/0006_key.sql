-- Which entries speak about keys: an agent's, or the log's own where no agent is named. The keyring is folded from them.
create table key_event (
    idx integer primary key,
    agent text
) strict;
create index key_event_agent_idx on key_event (agent, idx);
