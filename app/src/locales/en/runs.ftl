page-first = first page
runs-more-than = more than { $n }
filter-age = Younger than
filter-age-days = { $n ->
    [one] one day
   *[other] { $n } days
}
filter-duration = Duration
filter-silence = Silence
filter-latency = Cancel latency
filter-state = Its route now
filter-state-pass = may be served
filter-state-hold = on hold
filter-state-reject = rejected
filter-need = Needs
filter-need-person = a person
filter-text = The whole filter as text
filter-text-note = Each term narrows it, in any order. For example:
order-duration = Shortest build first
order-silence = Shortest silence first
order-latency = Fastest cancel first, after runs without one
error-bad-filter-lead = Expected is: { $expected }. Nothing was changed.
phases-trace = Chrome trace, for Perfetto
export-rows = These rows as
