### The portal in English. Same keys and values as es/portal.ftl; codes of the evidence stand behind their prefix.

## Frame
skip = Skip to the content
nav-label = Main
nav-runs = Runs
nav-routes = Routes
nav-people = People
nav-ledger = Ledger
nav-sign-in = Sign in
sign-out = Sign out
foot = Everything here rests on signed entries.
foot-ledger = See the ledger
foot-language = Language
foot-theme = Theme
theme-system = System
theme-light = Light
theme-dark = Dark
role-reviewer = reviewer
role-approver = approver
role-auditor = auditor
role-admin = admin
role-builder = builder
trail-label = Where you are
table-label = Table: { $name }
raw-label = { $name }, word for word
pages-label = Pages
page-before = previous
page-next = next

## Months
month-1 = Jan
month-2 = Feb
month-3 = Mar
month-4 = Apr
month-5 = May
month-6 = Jun
month-7 = Jul
month-8 = Aug
month-9 = Sep
month-10 = Oct
month-11 = Nov
month-12 = Dec

## Codes
outcome-completed = completed
outcome-cancelled = cancelled
outcome-cancel-requested-but-completed = cancel came too late
outcome-failed = failed
outcome-crashed = crashed
outcome-killed = killed
cleanup-cleaned = cleaned
cleanup-quarantined = quarantined
cleanup-failed = cleanup failed
cleanup-not-needed = not needed
validation-pass = pass
validation-fail = fail
validation-pending = pending
validation-not-applicable = not applicable
disposition-kept = kept
disposition-removed = removed
disposition-quarantined = quarantined
builder-tensorrt-rtx = TensorRT-RTX
builder-tensorrt = TensorRT
builder-external = external build
builder-simulated = simulated
cache-cold = cold
cache-reused = reused
cache-updated = updated
cache-discarded = discarded
cache-quarantined = quarantined
cache-not-applicable = not used
cancel-source-ctrl-c = Ctrl-C in the terminal
cancel-source-ci = the CI job
cancel-source-ide = the editor
cancel-source-service = the service's shutdown
cancel-source-api = the API or the portal
cancel-source-event-loop = an event loop
cancel-source-monitor-exception = a failure of the monitor
cancel-source-none = nobody
window-artifact-write = the artifact was being written
window-cleanup = files were being cleaned up
window-evidence-at-risk = the evidence was not on disk yet
window-no-rollback-route = production would have had no way back
artifact-plan = engine
artifact-partial-plan = unfinished engine
artifact-bundle = bundle (Model Connect)
artifact-timing-cache = timing cache
artifact-other = other file
phase-state-running = open
phase-state-finished = finished
phase-state-finished-early = finished early
phase-state-interrupted = interrupted
phase-state-open-at-crash = open at the crash
phase-state-answered-stop = answered “stop”
predicate-build-summary = build summary
predicate-a-build-summary = a build summary
predicate-a-agent-key = the enrolment of an agent's key
predicate-a-other = a statement
predicate-agent-key = agent key
predicate-cbat-gate = gate run
predicate-route-definition = route definition
predicate-route-decision = decision
predicate-rollback-order = order
predicate-rollback-result = report on an order
predicate-retention = retention
predicate-canary = canary
predicate-pin-observation = pinned fact observed
predicate-import = imported report
predicate-rebuild = rebuild
predicate-stuck-build-test = acceptance test
predicate-a-stuck-build-test = a run of the acceptance test
predicate-a-cbat-gate = a run of a gate
predicate-a-route-definition = the definition of a route
predicate-a-route-decision = a decision on a route
predicate-a-rollback-order = an order to the runtime
predicate-a-rollback-result = a report on an order
predicate-a-retention = the retention of a bundle
predicate-a-canary = a step of a canary
predicate-a-pin-observation = the observation of a pinned fact
predicate-a-import = an imported report
predicate-a-rebuild = a rebuild of a run
predicate-unknown = an unreadable statement
stage-setup = setting up
stage-parse = reading the network
stage-build = building
stage-write = writing the engine
stage-worker = the worker process
policy-retry-cold = The recorded policy says: again, without a timing cache.
policy-retry-with-cache = The recorded policy says: again, with the timing cache.
policy-rollback = The recorded policy says: back to a known engine.
policy-investigate = The recorded policy says: a person has to look first.
policy-none = The recorded policy asks for nothing.

## Runs
runs-scope-all = all runs you may read
runs-scope-matching = runs that match the filter
number-word = { $n ->
    [1] one
    [2] two
    [3] three
    [4] four
    [5] five
    [6] six
    [7] seven
    [8] eight
    [9] nine
   *[other] { $shown }
}
runs-need-word = { $n ->
    [one] { $shown } needs a person
   *[other] { $shown } need a person
}
runs-need = { $filtered ->
    [yes] { $n ->
        [one] { $shown } of { $all } matching runs needs a person
       *[other] { $shown } of { $all } matching runs need a person
    }
   *[no] { $n ->
        [one] { $shown } of { $all } { $total ->
            [one] run
           *[other] runs
        } needs a person
       *[other] { $shown } of { $all } runs need a person
    }
}
need-cleanup-failed = { $n ->
    [one] { $shown } could not be cleaned up
   *[other] { $shown } could not be cleaned up
}
need-crashed = { $n ->
    [one] { $shown } crashed
   *[other] { $shown } crashed
}
need-killed = { $n ->
    [one] { $shown } had to be killed
   *[other] { $shown } had to be killed
}
need-failed = { $n ->
    [one] { $shown } failed
   *[other] { $shown } failed
}
need-cancel-ignored = { $n ->
    [one] { $shown } ignored its cancel
   *[other] { $shown } ignored their cancel
}
need-quarantined = { $n ->
    [one] { $shown } left files in quarantine
   *[other] { $shown } left files in quarantine
}
runs-rest = Everything else completed or stopped cleanly.
runs-fine-word = none needs a person
runs-fine = { $total ->
    [one] The only { $filtered ->
        [yes] matching run
       *[no] run
    } completed or stopped cleanly.
   *[other] All { $all } { $filtered ->
        [yes] matching runs
       *[no] runs
    } completed or stopped cleanly.
}
runs-fine-lead = None of them left anything that a person has to decide.
runs-none-word = no run
runs-none-yet = No run has been recorded yet.
runs-none-yet-lead = Enrol a builder's key once, then every build made with acta is signed there and recorded here.
runs-none-yet-server = On this server, for a token that is valid for an hour:
runs-none-yet-builder = On the builder, with that token:
runs-none-match = { $n ->
    [one] The only run does not match this filter.
   *[other] None of { $all } runs matches this filter.
}
runs-none-match-lead = Drop one condition, or all of them.
runs-drop = Drop { $field }: { $value }
runs-count = { $filtered ->
    [yes] { $matching } of { $total } runs
   *[no] { $n ->
        [one] { $matching } run
       *[other] { $matching } runs
    }
}
runs-note = { $order }. Times are UTC{ $year ->
    [none] .
   *[other] , { $year }.
}
runs-first-page = There is nothing on this page of the list. Go to the first page.
order--started = Newest first
order-started = Oldest first
order--duration = Longest build first
order--silence = Longest silence first
order--latency = Slowest cancel first
section-filter = Filter
filter-note = The address keeps all of it: a link shows the same runs.
filter-route = Route
filter-outcome = Outcome
filter-builder = Builder
filter-gpu = GPU
filter-cache = Timing cache
filter-tensorrt = TensorRT
filter-q = Network's file name, or terms
filter-any = any
filter-apply = Apply
filter-clear = Clear the filter
runs-caption = Runs with outcome, times and where they were built
runs-legend = Cancel: request to acknowledgement. “>” is a lower bound; “—” was not measured, it is never zero.
run-head-run = Run and network
run-head-outcome = Outcome
run-head-build = Build
run-head-silence = Silence
run-head-silent = Silent
run-head-cancel = Cancel
run-head-cleanup = Cleanup
run-head-cache = Cache
run-head-tensorrt = TensorRT
run-head-gpu = GPU
run-head-started = Started
run-head-route = Route
gpu-none = none
attempt = attempt { $n }

## Run: the answer
run-name = run { $number }
run-entry = Entry { $entry } of the ledger
run-how-verified = How this is verified
headline-cancelled-because = This run was cancelled. It took { $latency } to be acknowledged, because { $cause }.
headline-cancelled = This run was cancelled. The library acknowledged after { $latency }.
headline-cancelled-outside = This run was cancelled outside the build call; there was nothing for the library to acknowledge.
because-silence = the library made no callback for { $duration }
because-no-step = no step ended before that
because-deferred = the request was held back for { $duration }: { $window }
headline-completed = This build completed in { $duration }.
headline-completed-silence = This build completed in { $duration }; its longest silence lasted { $silence }, { $share } of it.
headline-too-late = The cancel came too late: a whole engine came out { $duration } after the request, and no step had answered.
headline-too-late-because = The cancel came too late: a whole engine came out { $duration } after the request, because { $cause }.
headline-too-late-answered = The cancel was not obeyed: a step answered “stop” after { $latency }, and the library made a whole engine all the same.
headline-too-late-plain = The cancel was not obeyed: a whole engine came out all the same.
headline-failed = This build failed after { $duration }, because { $cause }.
failed-because-setup = it could not be set up
failed-because-parse = the network could not be read
failed-because-build = the library gave up building
failed-because-write = the engine could not be written
failed-because-worker = the worker ended without a word
failed-because-unknown = of something that was not recorded
headline-crashed = The worker died after { $duration }, without a last word.
headline-crashed-signal = The worker died after { $duration }, by signal { $signal }.
headline-killed = This run was killed, because the library did not answer the cancel within { $duration }.
headline-killed-answered = This run was killed: a step answered the cancel after { $duration }, but the build call did not return.
headline-killed-plain = This run was killed after { $duration }.
lead-simulated = A simulated builder made these events. The signed statement says so, and no gate accepts it.
lead-message = First message: “{ $message }”.
lead-plan = The engine stands at its place, { $bytes }.
lead-validation-pass = It passed its validation.
lead-validation-fail = It failed its validation and must not be used.
lead-validation-pending = It has not been validated: progress is never taken for correctness.
lead-cleanup-failed = Cleaning up failed: something unfinished may still stand where an engine is looked for.
lead-quarantined = Nothing it left can be taken for an engine: { $quarantined ->
    [one] one file was set apart
   *[other] { $quarantined } files were set apart
}{ $removed ->
    [0] .
    [one] , one was removed.
   *[other] , { $removed } were removed.
}
lead-cleaned = Nothing it left can be taken for an engine: { $removed ->
    [0] nothing unfinished stood there
    [one] the unfinished file was removed
   *[other] { $removed } unfinished files were removed
}{ $quarantined ->
    [0] .
    [one] , one was set apart.
   *[other] , { $quarantined } were set apart.
}
lead-nothing-left = It left no file behind.
lead-lost = { $n ->
    [one] One event was lost before it could be recorded: times and phases are incomplete.
   *[other] { $shown } events were lost before they could be recorded: times and phases are incomplete.
}

## Run: key figures
figure-latency = request to acknowledgement
figure-measured = measured, not censored
figure-unmeasured = nothing to acknowledge
figure-censored = never acknowledged: a lower bound
figure-return = acknowledgement to return
figure-return-note = unwinding the phases
figure-cleanup = acknowledgement to cleanup
figure-build = build
figure-total = whole attempt
figure-serialize = { $duration } of it serializing
figure-silence = longest silence
figure-share = { $share } of the build
figure-phases = phases
figure-callbacks = { $n ->
    [one] { $shown } callback
   *[other] { $shown } callbacks
}
figure-verified = verification

## Run: cancel
section-cancel = Cancel
cancel-who = asked by { $who }
cancel-reason = “{ $reason }”
moment-requested = requested
moment-delivered = delivered
moment-acknowledged = acknowledged
moment-returned = returned
moment-cleaned = cleaned
moment-not-held = the single cancellation state was set; no window held it back
moment-held = { $n ->
    [one] a window held it back
   *[other] { $n } windows held it back
}
moment-never-delivered = it never reached the build
moment-answered-in = first step that answered “stop”, in
moment-answered = first step that answered “stop”
moment-never-answered = no step ever answered
moment-no-plan = no engine came back
moment-plan-returned = a whole engine came back
moment-cleaned-up = { $status }; removed: { $removed }, set apart: { $quarantined }
open-at-both = { $n ->
    [one] One phase was open at the request and still at the acknowledgement:
   *[other] { $shown } phases were open at the request and the same at the acknowledgement:
}
open-at-request = { $n ->
    [0] No phase was open at the request.
    [one] One phase was open at the request:
   *[other] { $shown } phases were open at the request:
}
open-at-acknowledgement = { $n ->
    [0] No phase was open at the acknowledgement.
    [one] One phase was open at the acknowledgement:
   *[other] { $shown } phases were open at the acknowledgement:
}
open-more = { $n ->
    [one] and one more
   *[other] and { $shown } more
}
only-steps = Only the end of a step can stop a build: a request waits for the next step that ends in any open phase.
deferral = Held back for { $duration }: { $window }.
escalation-third-ctrl-c = No step answered. A person pressed Ctrl-C for the third time and killed the builder { $after } after the request.
escalation-stop-deadline = No step answered in time. The service’s stop may take { $deadline } ({ $from }), so the builder was killed { $after } after the request, while the evidence could still be written.

## Run: phases
section-phases = Phases
phases-none = No phase ever began, so there is nothing to draw.
phases-problem = The phases cannot be shown: { $problem }
phases-counts = { $phases ->
    [one] One phase
   *[other] { $phases_shown } phases
}, { $callbacks_shown } callbacks, { $threads ->
    [one] one thread.
   *[other] { $threads } threads.
}
phases-accounted = Every event is accounted for.
phases-missing = Not accounted for: { $lost } events lost, { $orphans } without a phase, { $dropped } phases beyond the bound.
phases-json = Phases, JSON
phases-events = Events, NDJSON
finding-silence = The longest silence lasts { $duration } and fills { $share } of the build.
finding-silence-in = The longest silence lasts { $duration } and fills { $share } of the build, inside { $phase }.
finding-own-time = { $n ->
    [one] Most time goes into { $phase } itself: { $duration }, { $share } of the build.
   *[other] Most time goes into { $phase } itself: { $duration } in { $shown } phases, { $share } of the build.
}
phases-legend = Hatched: the phase is open and the library makes no callback.
phases-legend-merged = What is too short to draw is merged, the taller the more of that time it fills.
phases-caption = Duration, share and silence of a phase include the phases under it.
phases-folded = The { $shown } phases with the most time of their own; { $hidden } more are folded into rows.
phases-all-json = All phases, JSON
phases-folded-row = { $n ->
    [one] one more phase, { $duration } of its own
   *[other] { $shown } more phases, { $duration } of their own together
}
phases-early = “Finished early” means that the library closed the phase before all announced steps; it does so when it optimizes, fails or stops. No percentage of progress is implied.
phase-head-name = Phase
phase-head-duration = Duration
phase-head-share = Share
phase-head-silence = Silence
phase-head-start = Start
phase-head-steps = Steps done
phase-head-state = State
phase-occurrence = no. { $n }
timeline-title = Phases of the build of { $network } over { $duration }
timeline-desc-axis = Horizontal axis: time since the build call.
timeline-desc-silence = The longest stretch without a callback goes from { $from } to { $to }.
timeline-desc-moment = Cancel { $what } at { $at }.
timeline-desc-table = The table below holds the same phases.
timeline-phases = phases
timeline-callbacks = callbacks
timeline-cancel = cancel
timeline-steps = { $done } of { $all } steps
timeline-answered-stop = answered “stop”
timeline-silence = no callback for { $duration }, { $share } of the build
timeline-waited-long = { $duration } from request to acknowledgement
timeline-waited = waited { $duration }
timeline-censored-long = not acknowledged for { $duration }
timeline-censored = > { $duration }
timeline-merged = { $n ->
    [one] one short phase: enlarged below
   *[other] { $shown } short phases: enlarged below
}
timeline-merged-lens = { $n ->
    [one] one phase is shorter still: see the table
   *[other] { $shown } phases are shorter still: see the table
}
timeline-enlarged = { $from } to { $to }, enlarged { $times } times

## Run: facts
section-facts = Facts, by who says so
facts-note = Vendor claims never satisfy a gate.
facts-measured = Measured by the agent
facts-agent = { $agent }
facts-stated = Stated by a person
facts-vendor = Vendor claim
vendor-cancel = NvInfer.h says that a build stops when a step answers false.
vendor-cancel-measured = Here the next step came after { $latency }.
vendor-cancel-unmeasured = Here no step ever answered.
fact-cancellation = cancellation
fact-network = network
fact-layers = { $n ->
    [one] { $shown } layer
   *[other] { $shown } layers
}
fact-strongly-typed = strongly typed
fact-weakly-typed = not strongly typed
fact-tensors = tensors
fact-inputs = in
fact-outputs = out
fact-rss = { $bytes } resident at the peak
fact-cpu = { $duration } of processor time
fact-threads = { $n ->
    [one] one thread
   *[other] { $n } threads
}
fact-written = { $bytes } written
fact-gpu-memory = { $bytes } of GPU memory in use at the peak
fact-gpu-utilization = GPU at most { $percent } % busy
fact-resources = resources
fact-times = begun and ended
duration-parse = parse
duration-build = build
duration-serialize = serialize
duration-write = write
duration-total = total
fact-reason = reason of the cancel
fact-output = output path
fact-command = command line
section-settings = Settings and machine
settings-note = What a second build must share to be compared with this one.
settings-builder = Builder
settings-builder-note = settings that are not the library's default
settings-default = all at the library's defaults
settings-machine = Machine
fact-settings = settings
fact-profile = profile (min / opt / max)
fact-os = operating system
fact-kernel = kernel and architecture
fact-cpus = processors
fact-container = container
fact-driver = driver, CUDA
fact-parser = parser file
fact-library = library file
section-failure = Failure
failure-stage = Stage: { $stage }
failure-records = Records of the library
failure-log = The whole log
section-artifacts = Artifacts
artifacts-note = The inventory at the end. Cleanup: { $status }.
artifacts-none = This run left no file and removed none.
artifacts-caption = Files that the run made, left behind or removed
artifact-head-name = Name
artifact-head-kind = Kind
artifact-head-size = Size
artifact-head-disposition = Disposition
artifact-unread = removed unread
section-cache = Timing cache
cache-file = file offered
cache-before = offered
cache-after = came back
cache-policy = policy
cache-reasons = What this rests on
section-attempts = Attempts
attempt-before = the attempt before
attempt-after = an attempt after
section-statement = Statement
statement-note = As it was signed, word for word.
statement-show = Show the signed statement

## Verification
section-verified = Verification
verified-note = From the logged bytes alone: signature, place in the tree, signed tree head.
verify-without = Without JavaScript, or to trust neither browser nor server, on a machine of your own:
check-signature = signature
check-inclusion = inclusion
check-tree-head = tree head
check-continuity = continuity
check-keys = keys
verify-figure = { $holds } of { $of }
verify-by-server = says the server
verify-by-browser = verified in this browser
verify-by-nobody = not verified
verify-lead-server = This is the server's word; this browser has not checked it.
verify-lead-good = This browser fetched the logged bytes and checked them itself.
verify-lead-bad = Do not rely on this page: entry { $index } does not verify. { $reason }
verify-unfetched = Not verified: what entry { $index } rests on could not be fetched ({ $reason }). Reload the page; if it stays so, verify on a machine of your own.
verify-first = This browser sees this log for the first time and will remember its keys and this tree of { $size } entries.
verify-same = The same tree of { $size } entries that this browser saw before.
verify-grown = The tree of { $size } entries continues the one of { $old } that this browser saw before.
verify-not-continued = The tree of { $size } entries was not shown to continue the one of { $old } that this browser saw before: { $reason }
verify-truncated = The log is truncated: it has { $size } entries and had { $old } when this browser last saw it.
verify-forked = The log has shown two histories: this tree of { $size } entries is not the one that this browser saw before.
verify-unknown = Nothing can be said while the tree head is not believed.
verify-keys-changed = The page names other keys than this browser first saw on { $date }.
verify-forget = Forget what this browser knows of this log, and begin again

## Entry
entry-name = entry { $index }
entry-of = of { $size }
entry-holds-word = verified
entry-broken-word = does not verify
entry-holds = Entry { $index } is { $what }, signed by { $signer }; all three checks hold.
entry-broken = Do not rely on entry { $index }: its { $check } does not hold. { $reason }
entry-holds-lead = An entry can be added to the ledger, never changed.
entry-broken-lead = What the log holds is not what was signed and logged. Save this page and the tree head, and call whoever runs the ledger.
signer-portal = the portal
signer-agent = agent { $agent }
figure-index = index
figure-size = size
figure-proof = inclusion proof
figure-proof-note = hashes up to the root
section-entry = Entry
entry-note = What the log committed to.
entry-digest = SHA-256 of the stored bytes
entry-leaf = leaf hash
entry-type = type
entry-logged = logged at
section-subjects = Subjects
subjects-note = What the statement is about, by digest.
subject-head-name = Name
entry-envelope = Envelope
section-proof = Inclusion proof
proof-note = From the entry's sibling up to the root.
proof-empty = The tree has a single entry; its leaf is the root.
section-tree-head = Tree head

## Ledger
ledger-empty-word = empty
ledger-empty = This ledger is empty.
ledger-empty-lead = The first entry will be the enrolment of an agent's key.
ledger-whole-word = whole
ledger-whole = { $size ->
    [one] The ledger holds one entry
   *[other] The ledger holds { $shown } entries
}, and { $agents ->
    [0] no agent has signed yet{ $gaps ->
       *[other] {""}
    }
    [one] its one agent's chain is without a gap
   *[other] the chains of all { $agents } agents are without a gap
}.
ledger-whole-lead = Each agent numbers what it signs, so a statement that was withheld or lost would show.
ledger-broken-word = contradiction
ledger-broken = { $broken ->
    [one] { $agents ->
        [one] The one agent contradicts
       *[other] One of { $agents } agents contradicts
    } itself
   *[other] { $broken } of { $agents } agents contradict themselves
}.
ledger-broken-lead = Two of an agent's statements bear one number, or one follows another statement than the log holds: its key or its state was used twice. Find out where before anything of it is relied on.
ledger-gaps-word = statements missing
ledger-gaps = { $gaps ->
    [one] { $agents ->
        [one] The one agent has
       *[other] One of { $agents } agents has
    } a gap in its chain
   *[other] { $gaps } of { $agents } agents have a gap in their chain
}, in a ledger of { $size ->
    [one] one entry
   *[other] { $shown } entries
}.
ledger-gaps-lead = Statements were signed and have not arrived here. Push the outbox of the agents below; what cannot be found stays visible as a gap.
figure-entries = entries
figure-entries-note = added, never changed
figure-root = root
figure-signed = signed { $at }
figure-agents = agents
figure-gaps = { $n ->
    [0] no gap in any chain
    [one] one with a gap
   *[other] { $n } with a gap
}
section-entries = Newest entries
entries-note = An entry can be added, never changed.
entries-none = No entry stands here.
entries-newest = newest
entries-earlier = earlier
entry-head-index = Entry
entry-head-when = Logged
entry-head-what = What
entry-head-run = Run
entry-head-signer = Signed by
entry-head-digest = SHA-256
section-agents = Agents
agents-note = Who may add evidence: a stolen token cannot sign, the key does.
agents-none = No agent has been enrolled. On this server, for a token that is valid for an hour:
agent-head-name = Agent
agent-head-key = Key
agent-head-enrolled = Enrolled by
agent-head-entries = Entries
agent-head-last = Newest entry
agent-head-chain = Chain
chain-broken = contradicts itself
chain-broken-entries = Entries
chain-whole = no gap
chain-missing = { $n ->
    [one] one statement missing
   *[other] { $n } statements missing
}
tree-head-note = The signed note as it is published. Keep a copy: it is all you need to prove a later change.
tree-head-verify = To check the whole ledger on a machine of your own:
section-keys = Keys
keys-note = Compare them with a source that is not this server.
key-log = log, signs tree heads
key-portal = portal, signs enrolments

## Signing in
sign-in-headline = Sign in
sign-in-lead = Reading evidence and deciding over it need an account. An administrator makes accounts; there is no registration.
sign-in-name = Name
sign-in-password = Password
sign-in-button = Sign in
sign-in-failed = not signed in
sign-in-error-credentials = Name and password do not belong together. Check both; capitals matter.
sign-in-error-rate = Too many attempts. Wait a minute, then try again.

## Errors
error-status = status { $status }
error-not-found-word = not found
error-not-found = There is nothing at this address, or you may not see it.
error-not-found-lead = Check the number or the digest: a run is found by its id or number, an entry by its index or digest. What you may not see looks the same as what is not there.
error-bad-request-word = not understood
error-bad-request = The address is not understood: “{ $field }” cannot be “{ $found }”.
error-bad-request-lead = Nothing was changed. Take that part out of the address or choose again.
error-internal-word = failed
error-internal = The server failed to make this page.
error-internal-lead = Nothing was changed and no evidence is lost. Reload the page; if it fails again, tell whoever runs the server this id: { $id }
error-damaged-word = damaged
error-damaged = Entry { $entry } of the log is damaged, so this page cannot be shown.
error-damaged-lead = The stored bytes are not the statement that was signed: { $reason }. Nothing here is to be relied on until the entry is restored from a copy; the entry’s own page shows which checks fail.
error-to-entry = See entry { $entry } as it is stored
error-to-runs = To the runs
error-to-ledger = To the ledger
