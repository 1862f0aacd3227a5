# '-' reads stdin.
stdin {corpus}/modules/AbsI.11.13.3.tilebc
tilewright print -
