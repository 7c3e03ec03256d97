# Runs side by side.

compare-title = Compare
compare-title-of = Compare { $runs }
compare-count = { $n } runs
compare-choose-word = Nothing to compare
compare-choose-none = Choose two to eight runs: the first is what the others are held against.
compare-choose-one = One run is chosen: which one is it to be compared with?
compare-choose-lead = On the page of the runs, tick some and press “Compare”; here, choose one of the newest or give a number.
compare-unknown = { $n ->
    [one] There is no run { $names }.
   *[other] There are no runs { $names }.
  }
compare-ranked-word = Comparable
compare-ranked = of { $n } runs, { $fastest } took the shortest time, { $fast }, and { $slowest } the longest, { $slow } ({ $times }).
compare-ranked-lead = The same library built the same network for the same GPU from the same state of the timing cache, to the end and undisturbed.
compare-refused-word = Not comparable
compare-refused = their times cannot be ranked, because { $because }.
compare-and = { $before } and { $last }
compare-refused-lead = What is different is shown all the same.
compare-because-completed = not every run ended undisturbed
compare-because-real = a simulated builder took part
compare-because-builder = the builders differ
compare-because-tensorrt-version = the TensorRT versions differ
compare-because-gpu-sku = the GPUs differ
compare-because-cache = the timing caches began in different states
compare-because-network = the networks differ
compare-ground-about-completed = Not each came to its end undisturbed: a time says then when a build was stopped.
compare-ground-about-real = A simulated builder makes its times up.
compare-ground-about-builder = Different libraries built.
compare-ground-about-tensorrt-version = Different versions of TensorRT built.
compare-ground-about-gpu-sku = They built for different GPUs.
compare-ground-about-cache = They began with the timing cache in different states.
compare-ground-about-network = They built different networks.

compare-runs = Compared runs
compare-runs-note = The first is the baseline. The address keeps the choice and the order.
compare-baseline = baseline
compare-head-total = Whole attempt
compare-head-beside = Beside the baseline
compare-head-change = Change
compare-make-baseline = make baseline
compare-make-baseline-label = make baseline: { $run }
compare-up = up
compare-up-label = up: { $run }
compare-down = down
compare-down-label = down: { $run }
compare-remove = remove
compare-remove-label = remove: { $run }
compare-add = Add
compare-add-recent = One of the newest runs
compare-add-nothing = none of these
compare-add-any = Or a run's number or id
compare-full = Eight runs are the most that fit beside each other: remove one to add another.
compare-show-all = Show equal rows too
compare-only-differences = Show only differences

compare-section-inputs = Inputs
compare-section-environment = Environment
compare-section-settings = Settings
compare-section-cache = Timing cache
compare-section-phases = Durations and resources
compare-section-cancel = Cancel and cleanup
compare-section-artifacts = Artifacts
compare-section-validation = Outcome and validation
compare-section-equal = No difference.
compare-hidden = { $n ->
    [0] No row is equal.
    [one] 1 equal row hidden.
   *[other] { $n } equal rows hidden.
  }
compare-all-shown = { $n ->
    [one] 1 row, shown.
   *[other] All { $n } rows, equal ones too.
  }
compare-head-fact = Fact
compare-head-difference = Difference
compare-head-before = Baseline
compare-head-after = This run
compare-added = only here
compare-removed = not here
compare-other = another
compare-later = later
compare-earlier = earlier
compare-yes = yes
compare-no = no
compare-more = and { $n } more

compare-phases = Phases side by side
compare-phases-none = Phases cannot be compared: fewer than two of these runs have a phase tree.
compare-phases-note = A phase is the same by its path and by the how-manieth of its name it is. Own time: open while none under it was. The share is of the difference of the whole build calls; where threads overlap, shares need not sum up to 100 %.
compare-phases-hidden = { $n ->
    [one] 1 phase whose share is below 1 % hidden.
   *[other] { $n } phases whose share is below 1 % hidden.
  }
compare-phases-shown = { $n ->
    [one] 1 phase.
   *[other] { $n } phases.
  }
compare-phases-folded = { $n ->
    [one] One more phase
   *[other] { $shown } more phases
  }
compare-head-own = own
compare-head-delta = more
compare-head-share = share
compare-phase-new = new
compare-phase-missing = missing
compare-outside = outside of all phases
compare-total = build call
compare-tree-problem = The phase tree of { $run } is not compared: { $problem }.

compare-why = Why the time differs
compare-why-note = What was different first, then where the time went. That a circumstance caused it is not claimed.
compare-why-refused = { $run } and { $first } are not ranked
compare-why-longer = { $run } took { $by } longer than { $first } ({ $times }).
compare-why-shorter = { $run } took { $by } less than { $first } ({ $times }).
compare-why-same = { $run } took exactly as long as { $first }.
compare-why-near = { $run } took as long as { $first }: they differ by { $by }, less than 1 %.
compare-why-nothing = Nothing that can change the time is different, and no part took noticeably more.
compare-usual-too-small = Too few builds like the baseline to say what is usual: { $n } of the { $needed } needed.
compare-usual-within = Within what is usual: 95 of 100 builds like the baseline take up to { $p95 } (n = { $n }).
compare-usual-beyond-p95 = Unusual: 95 of 100 builds like the baseline take up to { $p95 }, the longest { $longest } (n = { $n }).
compare-usual-beyond-longest = Longer than every build like the baseline: the longest took { $longest } (n = { $n }).
compare-entries = entries
compare-cause-differs = { $section }:
compare-cause-took = { $what }: { $by }
compare-cause-share = { $share } of the difference
compare-cause-against = { $share } of it, against the difference
compare-cause-more-than-all = more than the whole difference
compare-cause-against-more = more than the whole difference, against it
compare-to-phase = to the phase
compare-segment-parse = reading and parsing the network
compare-segment-build = the build call up to its last phase
compare-segment-serialize = serializing
compare-segment-write = writing the plan
compare-segment-rest = everything around it

compare-bundles = Bundles
compare-bundles-note = By what gate 3 saw of each.
compare-bundle-same = It is the same file.
compare-bundle-header = header
compare-bundle-equal = { $n ->
    [one] 1 section is equal, byte for byte.
   *[other] { $n } sections are equal, byte for byte.
  }
compare-bundle-section-added = section, only here
compare-bundle-section-removed = section, not here
compare-bundle-section-changed = section, other bytes
compare-bundle-section-unknown = section, not known

compare-distributions = Builds like these
compare-distributions-note = Whole attempts of the same configuration, TensorRT, GPU and cache state that completed undisturbed, of all that there are. At most the newest 1,000.
spread-longest = longest
spread-of = { $n } of { $of }
spread-needed = needs { $n }

compare-link = Compare with other runs
compare-submit = Compare
compare-pick = Compare { $run }
compare-pick-head = Compare
