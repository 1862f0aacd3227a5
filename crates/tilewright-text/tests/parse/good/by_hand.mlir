// What people write: long and short names, comments, any layout.
module {
  cuda_tile.module @mine attributes {producer = "by hand"} {
    cuda_tile.global private constant @table alignment = 16 <f32 : [1.0, 2.0]> : !cuda_tile.tile<2xf32>
    global public @one <i32: [42]> : tile<1xi32>

    entry @mixed(%p: !cuda_tile.tile<!cuda_tile.ptr<f32>>, %n: tile<i32>)
        optimization_hints=<sm_100 = {num_cta_in_cga = 2, "occupancy" = 1}> {
      %zero = cuda_tile.constant <i32: 0x0> : tile<i32> // trailing comment
      %inf = constant <f32: -inf> : tile<4xf32>
      %m = constant <f16: [[1.0, 0x3C00], [1.5, nan]]> : tile<2x2xf16>
      %long = assume #cuda_tile.div_by<16>, %n : tile<i32>
      %short = assume bounded<0, ?>, %long : tile<i32>
      %view = make_tensor_view %p, shape = [%short, 32], strides = [32, 1] :
        tile<i32> -> tensor_view<?x32xf32, strides=[32,1]>
      %size:2 = get_tensor_shape %view : tensor_view<?x32xf32, strides=[32,1]> -> tile<i32>
      %ids, %idy, %idz = get_tile_block_id : tile<i32>
      %grid:3 = get_num_tile_blocks : tile<i32>
      %sum = addi %size, %size#1 overflow<none> : tile<i32>
      %product = "cuda_tile.muli"(%sum, %grid#2) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      %less = "cuda_tile.cmpi"(%sum, %product) {comparison_predicate = #cuda_tile.comparison_predicate<less_than>, signedness = #cuda_tile.signedness<signed>} : (tile<i32>, tile<i32>) -> tile<i1>
      addi %sum, %sum : tile<i32>
      %power = pow %inf, %inf : tile<4xf32>
      %max = maxf %inf, %power flush_to_zero propagate_nan : tile<4xf32>
      %token = print_tko "%i\n", %sum : tile<i32> -> token
      %after = print_tko "done" token = %token -> !cuda_tile.token
      %last = for %i in (%zero to %n, step %sum) : tile<i32>
                  iter_values(%a = %zero) -> (tile<i32>) {
        if %less {
          continue %i : tile<i32>
        }
        %both:2 = if %less -> (tile<i32>, tile<i32>) {
          yield %i, %a : tile<i32>, tile<i32>
        } else {
          yield %a, %i : tile<i32>, tile<i32>
        }
        continue %both#1 : tile<i32>
      }
      for unsigned %i in (%zero to %n, step %sum) : tile<i32> {}
      %found = loop : tile<i32> {
        break %last : tile<i32>
      }
      loop iter_values(%x = %zero) : tile<i32> {
        break
      }
      %folded = reduce %inf dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32>
      (%l: tile<f32>, %r: tile<f32>) {
        %s = addf %l, %r : tile<f32>
        yield %s : tile<f32>
      }
      %any = "cuda_tile.reduce"(%inf) ({
      ^bb0(%l: tile<f32>, %r: tile<f32>):
        "cuda_tile.yield"(%l) : (tile<f32>) -> ()
      }) {dim = 0 : i32, identities = [0.0 : f32]} : (tile<4xf32>) -> tile<f32>
    }
    entry @empty() {}
    entry @optional(%p: tile<4xptr<f32>>, %mask: tile<4xi1>, %pad: tile<4xf32>) {
      // A mask and a padding look alike: their types tell.
      %0, %t0 = load_ptr_tko weak %p : tile<4xptr<f32>> -> tile<4xf32>, token
      %1, %t1 = load_ptr_tko weak %p, %mask : tile<4xptr<f32>>, tile<4xi1> -> tile<4xf32>, token
      %2, %t2 = load_ptr_tko relaxed device %p, %pad token=%t1 : tile<4xptr<f32>>, tile<4xf32> -> tile<4xf32>, token
      %3, %t3 = load_ptr_tko weak %p, %mask, %pad optimization_hints = <sm_100 = {latency = 3}> : tile<4xptr<f32>>, tile<4xi1>, tile<4xf32> -> tile<4xf32>, token
    }
  }
}
