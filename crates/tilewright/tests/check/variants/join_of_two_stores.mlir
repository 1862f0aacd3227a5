// tilewright check join_of_two_stores.mlir --grid 1 'i32[2]=?' 'i32[2]' i32:0
// token-order: join_tokens %t0, %t2 => join_tokens %t0, %t0
// token-order: join_tokens %t0, %t2 => join_tokens %t2, %t2
// token-order: yield %t1 : token => yield %start : token
// undefined-stored: %t0 = store_ptr_tko weak %a, %n : tile<ptr<i32>>, tile<i32> -> token => %t0 = make_token : token
// Two stores, one of them in a branch, and a load of both places.
entry @k(%a: tile<ptr<i32>>, %out: tile<ptr<i32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %start = make_token : token
  %b = offset %a, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %t0 = store_ptr_tko weak %a, %n : tile<ptr<i32>>, tile<i32> -> token
  %c = cmpi equal %n, %zero, signed : tile<i32> -> tile<i1>
  %t2 = if %c -> (token) {
    %t1 = store_ptr_tko weak %b, %one : tile<ptr<i32>>, tile<i32> -> token
    yield %t1 : token
  } else {
    yield %start : token
  }
  %both = join_tokens %t0, %t2 : token
  %lanes = iota : tile<2xi32>
  %r = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
  %s = broadcast %r : tile<1xptr<i32>> -> tile<2xptr<i32>>
  %q = offset %s, %lanes : tile<2xptr<i32>>, tile<2xi32> -> tile<2xptr<i32>>
  %v, %t3 = load_ptr_tko weak %q token = %both : tile<2xptr<i32>> -> tile<2xi32>, token
  %or = reshape %out : tile<ptr<i32>> -> tile<1xptr<i32>>
  %os = broadcast %or : tile<1xptr<i32>> -> tile<2xptr<i32>>
  %o = offset %os, %lanes : tile<2xptr<i32>>, tile<2xi32> -> tile<2xptr<i32>>
  %t4 = store_ptr_tko weak %o, %v : tile<2xptr<i32>>, tile<2xi32> -> token
  return
}
