// Keeps positive numbers, and makes a hundredth of the others: y = x > 0 ? x : 0.01 x, a tile of 1024 in each block.
entry @leaky_relu(%from: tile<ptr<f32>>, %to: tile<ptr<f32>>, %n: tile<i32>) {
  %b, %by, %bz = get_tile_block_id : tile<i32>
  %xv = make_tensor_view %from, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %yv = make_tensor_view %to, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %xs = make_partition_view %xv : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
  %ys = make_partition_view %yv : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
  %x, %t = load_view_tko weak %xs[%b] : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
  %zero = constant <f32: 0.0> : tile<1024xf32>
  %slope = constant <f32: 0.01> : tile<1024xf32>
  %low = mulf %x, %slope : tile<1024xf32>
  %above = cmpf greater_than ordered %x, %zero : tile<1024xf32> -> tile<1024xi1>
  %y = select %above, %x, %low : tile<1024xi1>, tile<1024xf32>
  %u = store_view_tko weak %y, %ys[%b] token = %t : tile<1024xf32>, partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
