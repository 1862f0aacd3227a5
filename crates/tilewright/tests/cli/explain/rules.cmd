# One rule, a rule that is not there.
tilewright explain dominance
tilewright explain gravity
