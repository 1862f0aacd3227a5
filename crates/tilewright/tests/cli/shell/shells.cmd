# A page of the manual, and names that are not there. tests/shell.rs looks at completions and at all pages.
tilewright man explain
tilewright man vlidate
tilewright man run --to pages
tilewright completions tcsh
