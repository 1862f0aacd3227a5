# A byte order mark is skipped, and places are those that editors show.
bytes mark.mlir efbbbf '"entry @k() {}"'
tilewright validate mark.mlir
bytes wrong.mlir efbbbf '"entry @k() { %x = addi %y, %y : tile<i32> }"'
tilewright validate wrong.mlir
# What is not UTF-8, and NUL, are errors with line, column and byte.
bytes latin1.mlir '"// caf"' e9 '"\nentry @k() {}"'
tilewright validate latin1.mlir
tilewright print latin1.mlir
bytes nul.mlir '"entry @k() {\n  re"' 00 '"turn\n}"'
tilewright validate nul.mlir
# Line breaks of all systems, and nothing but comments.
bytes crlf.mlir '"entry @k() {"' 0d0a '"}"' 0d0a
tilewright validate crlf.mlir
bytes comment.mlir '"// nothing\n"'
tilewright validate comment.mlir
