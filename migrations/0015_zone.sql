-- The time zone in which a person wants to see moments, by its name in the IANA database; none for UTC.
alter table account add column zone text;
