# Numbers that do not fit their type are refused, and the message says what does.
bytes i32.mlir '"entry @k(%n: tile<i32>) { print_tko "%d\0A", %n : tile<i32> -> token }"'
tilewright run i32.mlir --grid 1 i32:2147483647
tilewright run i32.mlir --grid 1 i32:2147483648
tilewright run i32.mlir --grid 1 i32:99999999999
tilewright run i32.mlir --grid 1 i32:-2147483649
tilewright run i32.mlir --grid 1 u32:4294967295
tilewright run i32.mlir --grid 1 i32:0xffffffff
tilewright run i32.mlir --grid 1 i32:1e3
tilewright run i32.mlir --grid 1 i32:
tilewright run i32.mlir --grid 1 i64:1
bytes f32.mlir '"entry @k(%x: tile<f32>) { print_tko "%f\0A", %x : tile<f32> -> token }"'
tilewright run f32.mlir --grid 1 f32:1e300
tilewright run f32.mlir --grid 1 f32:inf
tilewright run f32.mlir --grid 1 f32:1,5
bytes f16.mlir '"entry @k(%x: tile<ptr<f16>>) {}"'
tilewright run f16.mlir --grid 1 f16[4]=1e6
tilewright run f16.mlir --grid 1 f16[1e9]
tilewright run f16.mlir --grid 1 f16[99999999999999999999]
tilewright run f16.mlir --grid 1 f16[9223372036854775807x9]
tilewright run f16.mlir --grid 1 f16[-4]
tilewright run f16.mlir --grid 1 f32[4]
