// c = a * b: 256 x 256 halves, a block for each 64 x 64 of the result.
entry @product(%a0: tile<ptr<f16>>, %b0: tile<ptr<f16>>, %c0: tile<ptr<f32>>) {
  %a = assume div_by<16>, %a0 : tile<ptr<f16>>
  %b = assume div_by<16>, %b0 : tile<ptr<f16>>
  %c = assume div_by<16>, %c0 : tile<ptr<f32>>
  %va = make_tensor_view %a, shape = [256, 256], strides = [256, 1] : tile<ptr<f16>> -> tensor_view<256x256xf16, strides=[256,1]>
  %vb = make_tensor_view %b, shape = [256, 256], strides = [256, 1] : tile<ptr<f16>> -> tensor_view<256x256xf16, strides=[256,1]>
  %vc = make_tensor_view %c, shape = [256, 256], strides = [256, 1] : tile<ptr<f32>> -> tensor_view<256x256xf32, strides=[256,1]>
  %pa = make_partition_view %va : partition_view<tile=(64x32), tensor_view<256x256xf16, strides=[256,1]>>
  %pb = make_partition_view %vb : partition_view<tile=(32x64), tensor_view<256x256xf16, strides=[256,1]>>
  %pc = make_partition_view %vc : partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>
  %t = make_token : token
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %count = constant <i32: 8> : tile<i32>
  %nothing = constant <f32: 0.0> : tile<64x64xf32>
  %sum = for %k in (%zero to %count, step %one) : tile<i32> iter_values(%acc = %nothing) -> (tile<64x64xf32>) {
    %l, %t1 = load_view_tko weak %pa[%x, %k] token = %t : partition_view<tile=(64x32), tensor_view<256x256xf16, strides=[256,1]>>, tile<i32> -> tile<64x32xf16>, token
    %r, %t2 = load_view_tko weak %pb[%k, %y] token = %t : partition_view<tile=(32x64), tensor_view<256x256xf16, strides=[256,1]>>, tile<i32> -> tile<32x64xf16>, token
    %more = mmaf %l, %r, %acc : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
    continue %more : tile<64x64xf32>
  }
  %t3 = store_view_tko weak %sum, %pc[%x, %y] token = %t : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<256x256xf32, strides=[256,1]>>, tile<i32> -> token
  return
}
