# What is not compiled is named; targets and devices that there are not.
tilewright compile {corpus}/modules/MultimemStoreViewTko.466.13.5.tilebc -o -
tilewright compile {corpus}/cases/vector_add/vector_add.13.4.tilebc --target sm_70 -o -
tilewright run --case {corpus}/cases/vector_add --device ptx:sm_7
