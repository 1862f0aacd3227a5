# Names, strings and messages that would act on a terminal are shown as escape sequences by all commands.
tilewright validate {fixtures}/hostile_names.mlir
tilewright convert {fixtures}/hostile_names.mlir -o hostile.tilebc
tilewright validate hostile.tilebc
tilewright objdump hostile.tilebc --section function
tilewright objdump hostile.tilebc --section string
tilewright objdump hostile.tilebc --section producer --json
tilewright stats hostile.tilebc
bytes other.mlir '"entry @other() {}"'
tilewright diff hostile.tilebc other.mlir
tilewright diff hostile.tilebc other.mlir --json
tilewright run hostile.tilebc --grid 1
# What a kernel prints reaches files and pipes as it is, and terminals as escape sequences.
bytes print.mlir '"entry @print(%n: tile<i32>) { print_tko "n is \1B]0;title\07\C2\9B %d\0A\09tab\0D\FF\0A", %n : tile<i32> -> token }"'
raw tilewright run print.mlir --grid 1 i32:3
terminal tilewright run print.mlir --grid 1 i32:3
tilewright run print.mlir --grid 1 i32:3 --json
# The message of an assertion is for people, whoever wrote it.
bytes assert.mlir '"entry @"k\1B[31m"() { %c = constant <i1: false> : tile<i1>  assert %c, "bad \1B[2J\0Asecond\E2\80\AE" : tile<i1> }"'
tilewright run assert.mlir --grid 1
tilewright run assert.mlir --grid 1 --json
terminal tilewright run assert.mlir --grid 1
# Text, in errors of the parser.
bytes error.mlir '"entry @k() {\n  %x = ad"' 1b '"[31mdi\n"'
tilewright print error.mlir
# Findings.
bytes finding.mlir '"entry @"a\1B"() {}\nentry @"a\1B"() {}"'
tilewright validate finding.mlir
