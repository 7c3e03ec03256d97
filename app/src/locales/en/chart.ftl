# Charts, and the pages about many runs.

chart-as-table = The same as a table

history-title = Builds like this
history-x = run, in the order of the log
history-y = whole attempt
history-band = usual
history-legend = The band reaches from the shortest to the 95th percentile. A triangle: longer than 95 of 100 of those before it; a cross: disturbed or not completed, and not counted.
history-finding = 95 of 100 builds like this take up to { $p95 } (n = { $n }); { $out ->
    [0] none stood out when it was made.
    [one] one stood out when it was made.
   *[other] { $out } stood out when they were made.
  }
history-too-small = { $n ->
    [0] No build like this completed undisturbed yet; { $needed } are needed before anything is called usual.
    [one] One build like this completed undisturbed; { $needed } are needed before anything is called usual.
   *[other] { $n } builds like this completed undisturbed; { $needed } are needed before anything is called usual.
  }
history-this = This run, { $run }: { $took }, { $at }
history-outlier = Run { $run }: { $took }, { $at }
history-others = { $n } runs of the same configuration, TensorRT, GPU and state of the timing cache.
history-all = All runs of this configuration
history-head-standing = Beside those before
history-standing-too-small = too few
history-standing-within = usual
history-standing-beyond-p95 = unusual
history-standing-beyond-longest = longest so far
cache-class-unused = not used
cache-class-cold = cold
cache-class-warm = warm

configuration-title = Configuration { $digest }
configuration-digest = Digest of the builder's inputs:
configuration-kind = { $builder } { $version }, GPU: { $gpu }, timing cache: { $cache }
configuration-left-out = { $n } more kinds of builds of this configuration are not drawn; the CSV has them.
configuration-all = { $n ->
    [one] It was built once.
   *[other] It was built { $n } times.
  }
configuration-newest = The newest { $n } runs are looked at.
configuration-none-word = Nothing to judge
configuration-none = No build of this configuration completed undisturbed yet.
configuration-unknown-word = Too few
configuration-unknown = The newest build, run { $run }, took { $took }; there are too few before it to say whether that is usual.
configuration-usual-word = As usual
configuration-usual = The newest build, run { $run }, took { $took }, which is usual.
configuration-out-word = Unusual
configuration-beyond-p95 = The newest build, run { $run }, took { $took }, longer than 95 of 100 before it.
configuration-beyond-longest = The newest build, run { $run }, took { $took }, longer than every one before it.

cancels-title = Cancels
cancels-none-word = No cancels
cancels-none = Nobody has asked a build to stop yet.
cancels-none-lead = Once somebody does, this page shows how long the library took to listen, by route, phase and GPU.
cancels-none-match = No cancel is like that.
cancels-none-match-lead = Drop a part of the filter.
cancels-word = { $n ->
    [0] All acknowledged
    [one] One never acknowledged
   *[other] { $n } never acknowledged
  }
cancels-all = { $n ->
    [one] 1 cancel
   *[other] { $n } cancels
  }
cancels-newest = the newest { $n } cancels
cancels-lead = A build stops only at the end of a step, so a request waits for the next one. A cancel that was never acknowledged counts as longer than it was waited for: it is neither dropped nor zero.
cancels-finding = Half of the cancels were acknowledged within { $p50 }, 95 of 100 within { $p95 } (n = { $n }{ $never ->
    [0] )
   *[other] , { $shown } never)
  }.
cancels-finding-tail = Half of the cancels were acknowledged within { $p50 }; so many never were that there is no time for 95 of 100 (n = { $n }, { $shown } never).
cancels-finding-half = Half of the cancels were acknowledged within { $p50 } (n = { $n }{ $never ->
    [0] )
   *[other] , { $shown } never)
  }.
cancels-finding-never = More than half of the cancels were never acknowledged: { $shown } of { $n }.
cancels-finding-few = { $n ->
    [0] No cancel has a latency on record.
   *[other] One cancel is too few for a percentile{ $never ->
        [0] .
       *[other] ; it was never acknowledged.
      }
  }
cancels-figure-p50 = Acknowledged, median
cancels-figure-p95 = Acknowledged, 95th percentile
cancels-figure-cleanup-p50 = Cleaned up after that, median
cancels-figure-cleanup-p95 = Cleaned up after that, 95th percentile
cancels-by-route = By route
cancels-by-phase = By phase at the request
cancels-by-gpu = By GPU
cancels-groups = { $n ->
    [one] 1 group
   *[other] { $n } groups, the largest first
  }
cancels-x = from the request to the acknowledgement
cancels-y = acknowledged
cancels-legend = Share of cancels that were acknowledged up to a time (Kaplan and Meier); an upright stroke: watching a cancel ended there without an acknowledgement. The four largest groups.
cancels-head-ack = Request to acknowledgement
cancels-head-cleanup = Acknowledgement to clean
cancels-head-never = never
cancels-head-requested = Requested
cancels-phase = Phase
cancels-source = Asked by
cancels-no-route = no route
cancels-no-phase = not on record
cancels-listed = Newest cancels
cancels-listed-note = { $n ->
    [one] One.
   *[other] The newest { $n }; the CSV has the others.
  }
cancels-link = How long cancels take

caches-title = Timing caches
caches-decisions = Decisions
caches-modes = Decisions by what became of the cache
caches-note = { $n ->
    [one] One decision.
   *[other] { $n } decisions, newest first.
  }
caches-none-word = No builds
caches-none = No run is on record yet.
caches-unused-word = Not used
caches-unused = None of the newest { $n } runs had a use for a timing cache.
caches-doubtful-word = In doubt
caches-doubtful = { $doubtful ->
    [one] One of the { $n } newest decisions set a timing cache aside.
   *[other] { $shown } of the { $n } newest decisions set a timing cache aside.
  }
caches-fine-word = Accounted for
caches-fine = { $n ->
    [one] The one timing cache that was decided about is accounted for.
   *[other] Each of the { $n } newest decisions about a timing cache is accounted for.
  }
caches-lead = Nothing that TensorRT answers proves that a cache was used: a decision is worth as much as the facts it rests on. Bytes differ between two GPUs of one kind, so drift is counted by key and tactic.
caches-none-match = No decision is like that.
caches-head-decision = What became of it
caches-head-by = Decided by
caches-head-reasons = On which facts
caches-head-digests = Bytes
caches-head-drift = Tactic drift
caches-head-facts = What it must be good for
caches-drift = { $added } new, { $removed } gone, { $changed } with another tactic
caches-drift-unknown = not compared
caches-link = What became of timing caches
fact-driver-short = driver

restores-title = Time to restore
restores-word = { $n ->
    [0] Never tried
    [one] 1 order
   *[other] { $n } orders
  }
restores-lead = From the order to the health command's good word, as the agent beside the runtime reported it. { $failed ->
    [0] None failed.
    [one] One failed.
   *[other] { $failed } failed.
  }
restores-finding = { $n ->
    [one] The one restoration that came to its end took { $max }.
   *[other] { $n } restorations came to their end, in { $min } to { $max }; half of them within { $p50 }.
  }
restores-none = Nothing was ever restored on this route.
restores-note = Drills, rollbacks and deployments.
restores-x = order, by the bundle that was restored
restores-y = until verified
restores-legend = A cross did not come to its end. Each point leads to the entry of its last report.
restores-point = { $action }, { $step }, { $at }
restores-head-bundle = Bundle
restores-head-action = Order
restores-head-step = How far it came
restores-head-restored = Restored after
restores-head-verified = Verified after
restores-head-target = Where
restores-head-at = Last report
restores-head-entry = Entry
restores-action-deploy = deployment
restores-action-rollback = rollback
restores-action-drill = drill
restores-step-requested = received
restores-step-acknowledged = acknowledged
restores-step-restored = restored
restores-step-verified = verified
restores-step-refused = refused
restores-step-failed = failed
restores-link = Time to restore
