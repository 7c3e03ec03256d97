### Builds that run. The same keys and values as es/live.ftl.

nav-live = Live

## The list
section-builds = Builds
builds-note = As the agents tell of them while they run. Evidence is only what they sign at the end.
builds-caption = The newest build first. Times are the agents' own; the agents' silence is measured here.
builds-none = No build is running now.
builds-none-word = nothing runs
builds-running = { $n ->
    [one] One build is running.
   *[other] { $n } builds are running.
}
builds-vanished = { $n ->
    [one] One build is running; of { $vanished } nobody knows, because their agent is silent.
   *[other] { $n } builds are running; of { $vanished } nobody knows, because their agent is silent.
}
builds-lead = A build is seen here as soon as its agent is connected.
live-model = Model
live-standing = Standing
live-stage = Stage
live-elapsed = Elapsed
live-silence = Silence
live-agent = Agent
live-started = Began
standing-running = running
standing-cancelling = cancelling
standing-vanished = agent vanished
standing-ended = ended
live-stage-starting = the library is being loaded
live-stage-parsing = the network is being parsed
live-stage-setting-up = the builder is being set up
live-stage-building = the build call runs
live-stage-serializing = the plan is being serialized
live-stage-returned = the build call returned
live-stage-writing = the plan is being written
live-stage-cleaning = cleaning up and signing
live-stage-ended = ended and signed
live-window-artifact-write = the plan is written
live-window-cleanup = files are cleaned up
live-window-evidence-at-risk = the evidence is on disk
live-window-no-rollback-route = there is a way back for production

## One build
live-build-title = { $model } is building
live-head-begins = This build begins; its agent was heard of { $ago } ago.
live-head-vanished-early = Nobody knows what became of this build: its agent has said nothing for { $ago }.
live-head-vanished = Nobody knows whether this build runs: its agent has said nothing for { $ago }.
live-head-ended = This build has ended: { $outcome }. The signed run is in the ledger.
live-head-ended-unlogged = This build has ended: { $outcome }. Its evidence is signed and not yet in the ledger.
live-head-silent = This build has run for { $elapsed }. The library has made no callback for { $silence }, in “{ $phase }”.
live-head-moves = This build has run for { $elapsed } and moves on, in “{ $phase }”.
live-head-serializes = This build has run for { $elapsed }. Its phases are over, and the library has made no callback for { $silence }: it serializes the plan.
live-head-stage = This build has run for { $elapsed }: { $stage }.
live-head-sent = A cancel was requested and is on its way to the agent.
live-head-waits = A cancel was requested { $since } ago and waits for the next step, in “{ $phase }”.
live-head-waits-unseen = A cancel was requested { $since } ago; no phase is open whose step could answer it.
live-head-held = A cancel was requested and is held until { $window }.
live-head-acknowledged = The library answered the cancel after { $latency } and is stopping.
live-head-returned = The build call returned { $since } ago; what it left is being cleaned up.
live-lead-silent = A phase of one step can be silent for most of a build: silence alone does not say that it is stuck.
live-lead-vanished = The agent may have ended, or its network; the build goes on without the portal, and its evidence waits on its machine until it can be pushed.
live-lead-cancel = Only the end of a step can stop the library; nothing makes that shorter.
live-say-phase = Phase “{ $phase }” began.
live-say-unusual = Phase “{ $phase }” is silent for unusually long.
live-say-longest = Phase “{ $phase }” is silent for longer than ever.
live-say-vanished = The agent has vanished.
live-say-requested = The cancel was requested.
live-say-delivered = The cancel was delivered.
live-say-acknowledged = The library answered the cancel.
live-say-returned = The build call returned.
live-say-cleaned = Cleaning up has ended.
live-figure-callback = last callback
live-figure-library = the library, ago
live-figure-heard = last heartbeat
live-figure-connected = the agent, connected
live-figure-silent = the agent, silent
live-figure-phase = in this phase
live-figure-steps = { $done } of { $of } steps
live-figure-rate = steps a second
live-figure-rate-note = over the last ten seconds
live-figure-cores = of a core
live-figure-rss = { $rss } resident
live-pause = Pause updates
live-resume = Resume updates
live-refresh = Refresh once
live-plain = Without JavaScript the page is loaded again every five seconds.
live-list-plain = Without JavaScript the list is loaded again every five seconds.
live-following = Updates come as the agent sends them.
live-paused = Updates are paused.
live-lost = The server does not answer; trying again.
live-over = Nothing will change here any more.
live-to-run = Open the signed run
section-live-verdict = Beside earlier builds
live-verdict-note = Same configuration, TensorRT, GPU and cache; silence and slowness are two things
live-verdict-unknown = What is usual is not known yet: the configuration of a command’s build is told at its end, that of acta build once the network is parsed.
section-live-tree = Phases so far
live-tree-all = Open phases in bold
live-tree-some = { $shown } of { $all } phases: the open ones in bold, and those that took longest
tree-folded = { $n ->
    [one] and one more in it
   *[other] and { $shown } more in it
}
tree-open = { $done } of { $of } steps, open for { $duration }
tree-silent = { $done } of { $of } steps, silent for { $duration }
tree-beside-within = as usual; longest { $longest }
tree-beside-beyond-p95 = unusually long; longest { $longest }
tree-beside-beyond-longest = longer than ever; longest { $longest }
tree-beside-too-small = { $n ->
    [one] longest { $longest }, in one build
   *[other] longest { $longest }, in { $n } builds
}
tree-beside-too-small-unseen = not seen before
tree-finished = { $done } of { $of }, { $duration }
tree-finished-early = { $done } of { $of }, finished early, { $duration }

## The cancel as it comes
live-moments-note = In seconds since the attempt began, by the agent's clock
live-gap = { $duration } later
live-moment-deliver = on its way to the builder
live-moment-step = waits for the end of a step
live-moment-return = waits for the build call
live-moment-clean = waits for the end of the build
live-moment-never = did not happen
live-moment-returned = the build call came back
live-moment-cleaned = nothing unfinished is left
live-moment-held = held until { $window }
live-request-note = The request is signed by the portal for the person: { $at } by the server's clock.
live-request-entry = Entry { $entry }

## Asking for one
section-ask = Cancel this build
cancel-you-may = You may: your role is reviewer or approver
cancel-you-may-not = You may not
cancel-may-not = Only a reviewer or an approver who has signed in may ask for a cancel.
cancel-way-now = A cancel takes effect when an open phase completes its step; the request cannot make that shorter. No window holds a request back at the moment.
cancel-way-unseen = The library has made its last callback: a request is delivered at once, but most likely a whole plan comes out all the same.
cancel-way-after = A request will be delivered only after { $window }; then there is nothing left to stop, and the record says so.
cancel-way-when-back = The agent is silent: a request is kept, and delivered when the agent is heard of again.
cancel-way-again = A cancel was requested already; the first request counts.
cancel-way-too-late = The build call is over: nothing is left to cancel.
cancel-why = Reason, kept in the ledger
cancel-to-review = Review the cancel
cancel-review-word = to be confirmed
cancel-review-closed = not possible
cancel-review-title = Cancel the build of { $model }?
cancel-review-trail = Cancel
cancel-review-back = Back to the build
cancel-submit = Request the cancel
cancel-recorded = Recorded as source api, by { $account }.
section-cancel-now = The build now
cancel-now-note = As it was when this page was made
cancel-fact-now = standing
cancel-fact-open = open phases
cancel-fact-silence = silence of the library
cancel-fact-none = none
cancel-refused-missing-reason = A cancel needs a reason; nothing was requested.
cancel-refused-text-too-long = The reason is longer than 500 characters; nothing was requested.
cancel-refused-too-late = The build call is over: nothing is left to cancel, and nothing was requested.
cancel-refused-already-asked = A cancel was requested at the builder already; the first request counts.
cancel-refused-not-allowed = Your role may not ask for a cancel; nothing was requested.

## The run afterwards
cancel-by-portal = Asked in the portal by { $who }, { $role }, at { $at } by the server's clock.
cancel-by-portal-entry = The request is entry { $entry }.
cancel-clock = On the agent's clock that is { $offset } after the build call began, known to { $uncertainty }.
cancel-clock-unknown = How far that is off on the agent's clock was not measured.
