util.global private mutable @counter = 7 : i32
util.func private @helper(%x: i32) -> i32 attributes {inlining_policy = #util.inline.never} {
  %c = util.global.load @counter : i32
  %y = arith.addi %x, %c : i32
  util.global.store %y, @counter : i32
  util.return %y : i32
}
util.func public @entry(%x: i32, %flag: i8) -> f32 {
  %y = util.call @helper(%x) : (i32) -> i32
  %wide = arith.extui %flag nneg : i8 to i32
  %z = arith.muli %y, %wide : i32
  %f = arith.uitofp %z : i32 to f32
  util.return %f : f32
}
llvm.mlir.global internal thread_local @local(3 : i32) : i32
