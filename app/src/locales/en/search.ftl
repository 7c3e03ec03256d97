### The search, in English. Same keys and values as es/search.ftl.

search-label = Search: a digest, a run, an entry, a route
search-placeholder = Digest, run, entry, route
search-go = Search
search-again = Search again
search-nothing-word = nothing found
search-found-word = found
search-up-to = up to entry { $size }
search-empty = Nothing was typed.
search-too-short = “{ $query }” is too short: of a digest, at least 8 digits are needed.
search-not-hex = “{ $query }” holds something else than hexadecimal digits.
search-too-long = “{ $query }” is too long: a digest has 64 hexadecimal digits, a name at most 200 bytes.
search-expected = Type a digest or its first 8 digits or more (of an entry, a leaf, a key, a file, a blob), a run's id or number, an entry's index, or the beginning of a route's name.
search-none = Nothing in the log is “{ $query }”.
search-found = { $n ->
    [one] “{ $query }” is one thing in the log.
   *[other] “{ $query }” can mean { $n } things.
}
search-complete = Nothing is left out: all { $size } entries of the log were looked through.
search-more = There is more than is listed here; type more digits. The log has { $size } entries.
section-found = What was found
found-note = Each digest with the entries that speak of it or mention it.
found-kind = Kind
found-name = Name
found-where = Where
found-entry = entry
found-key = key
found-run = run
found-route = route
found-blob = blob
found-digest = digest
found-by-digest = digest
found-by-leaf = leaf hash
found-key-log = the log's key: it signs tree heads
found-key-portal = the portal's key: it signs decisions and enrolments
found-key-agent = key of agent { $agent }
found-bytes = Its bytes ({ $size })
found-trace = Trace on { $route }
found-subject-named = speaks of it as “{ $name }”
found-subject = speaks of it
found-mentioned = mentions it
found-rest = { $n ->
    [one] and one more entry
   *[other] and { $n } more entries
}
proof-file = Proof file (.tlog-proof)
proof-file-note = With the entry's bytes and the log's key it proves the place without this server.
pack-get = Evidence pack (.acta)
pack-all = with all blobs
