# The variable is heeded where no option says otherwise; more than four for each processor are as many as that, and no more than blocks.
env TILEWRIGHT_THREADS=1
tilewright run {corpus}/modules/AbsI.11.13.3.tilebc --grid 2,2
env TILEWRIGHT_THREADS=99999999999999999999999999
tilewright run {corpus}/modules/AbsI.11.13.3.tilebc --grid 1
env TILEWRIGHT_THREADS=
tilewright run {corpus}/modules/AbsI.11.13.3.tilebc --grid 1
env TILEWRIGHT_THREADS=abc
tilewright run {corpus}/modules/AbsI.11.13.3.tilebc --grid 2,2 --threads 1
# What is no number of threads.
env TILEWRIGHT_THREADS=abc
tilewright run {corpus}/modules/AbsI.11.13.3.tilebc --grid 1
env TILEWRIGHT_THREADS=0
tilewright run {corpus}/modules/AbsI.11.13.3.tilebc --grid 1
env TILEWRIGHT_THREADS=-1
tilewright run {corpus}/modules/AbsI.11.13.3.tilebc --grid 1
env 'TILEWRIGHT_THREADS=1 2'
tilewright run --case {corpus}/cases/vector_add --bytecode 13.4
tilewright run {corpus}/modules/AbsI.11.13.3.tilebc --grid 1 --threads 0
tilewright run {corpus}/modules/AbsI.11.13.3.tilebc --grid 1 --threads abc
