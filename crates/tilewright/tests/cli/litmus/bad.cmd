# What is no litmus test, or too large.
tilewright litmus
tilewright litmus missing.litmus
tilewright litmus {corpus}/cases/vector_add/vector_add.13.4.tilebc
tilewright litmus {fixtures}/litmus/a.litmus
tilewright litmus {fixtures}/litmus/b.litmus
tilewright litmus {fixtures}/litmus/c.litmus
tilewright litmus {fixtures}/litmus/d.litmus
tilewright litmus {fixtures}/litmus/e.litmus
tilewright litmus {fixtures}/litmus/f.litmus
tilewright litmus {fixtures}/litmus/g.litmus
tilewright litmus {corpus}/../litmus/iriw-rlx.litmus --limit 5
tilewright litmus {corpus}/../litmus/iriw-rlx.litmus --can '2:%z == 1'
