# The forms a module can be printed in.
tilewright print {corpus}/modules/AbsI.11.13.3.tilebc
tilewright print --module {corpus}/modules/AbsI.11.13.3.tilebc
tilewright print --generic {corpus}/modules/AbsI.11.13.3.tilebc
tilewright print --debug-info {corpus}/cases/print_values/print_values.13.4.tilebc
