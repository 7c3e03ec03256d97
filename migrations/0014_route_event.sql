-- The routes that an entry concerns: search asks by it.
create index route_event_entry_idx on route_event (idx);
