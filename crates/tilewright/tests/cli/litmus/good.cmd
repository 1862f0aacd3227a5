# What the model allows: outcomes, races, questions.
tilewright litmus --help
tilewright litmus {corpus}/../litmus/mp-weak-rel-acq.litmus
tilewright litmus {corpus}/../litmus/lock-rlx-rel.litmus
tilewright litmus {corpus}/../litmus/sb-rel-acq.litmus --can '0:%y == 0 && 1:%x == 0'
tilewright litmus {corpus}/../litmus/sb-updates-acqrel.litmus --can '0:%y == 0 && 1:%x == 0 && (x == 2 || y != 2)'
tilewright litmus --quiet {corpus}/../litmus/iriw-rlx.litmus {corpus}/../litmus/iriw-sys.litmus
tilewright litmus --json {corpus}/../litmus/coww-weak-cut.litmus --can 'x == 1'
tilewright litmus {fixtures}/litmus/wrong.litmus
tilewright litmus --module {corpus}/../litmus/mp-weak-rel-acq.litmus
