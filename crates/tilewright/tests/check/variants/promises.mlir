// tilewright check promises.mlir --grid 1 i32:48
// false-assumption: div_by<16>, %n => div_by<32>, %n
// false-assumption: bounded<0, 48>, %n => bounded<0, 47>, %n
// false-assumption: bounded<0, 48>, %n => bounded<49, ?>, %n
// clean: bounded<0, 48>, %n => bounded<?, 48>, %n
// false-assumption: div_by<4, every 4 along 1>, %rows => div_by<8, every 4 along 1>, %rows
// clean: div_by<4, every 4 along 1>, %rows => div_by<4, every 8 along 1>, %rows
// false-assumption: div_by<4, every 4 along 1>, %rows => div_by<4, every 2 along 0>, %rows
// clean: div_by<4, every 4 along 1>, %rows => div_by<2, every 2 along 1>, %rows
// false-assumption: same_elements<[2, 1]>, %rows => same_elements<[1, 2]>, %rows
// false-assumption: same_elements<[2, 1]>, %rows => same_elements<[2, 8]>, %rows
// clean: same_elements<[2, 1]>, %rows => same_elements<[1, 1]>, %rows
// false-overflow: addi %large, %one overflow<no_unsigned_wrap> => addi %large, %one overflow<no_wrap>
// false-overflow: addi %large, %one overflow<no_unsigned_wrap> => addi %large, %one overflow<no_signed_wrap>
// false-overflow: subi %one, %two overflow<no_signed_wrap> => subi %one, %two overflow<no_unsigned_wrap>
// clean: subi %one, %two overflow<no_signed_wrap> => subi %two, %one overflow<no_wrap>
// false-overflow: muli %large, %two overflow<no_unsigned_wrap> => muli %large, %two overflow<no_signed_wrap>
// false-overflow: shli %one, %last overflow<no_unsigned_wrap> => shli %one, %last overflow<no_signed_wrap>
// false-overflow: negi %large overflow<no_signed_wrap> => negi %least overflow<no_signed_wrap>
// clean: negi %large overflow<no_signed_wrap> => negi %least
// false-overflow: trunci %minus overflow<no_signed_wrap> => trunci %minus overflow<no_unsigned_wrap>
// false-overflow: trunci %minus overflow<no_signed_wrap> => trunci %large overflow<no_signed_wrap>
// What operations promise, and what assumptions say of numbers: one by one, in groups along a dimension, and in groups of equal elements.
entry @k(%n: tile<i32>) {
  %a = assume div_by<16>, %n : tile<i32>
  %b = assume bounded<0, 48>, %n : tile<i32>
  %lanes = iota : tile<8xi32>
  %row = reshape %lanes : tile<8xi32> -> tile<1x8xi32>
  %rows = broadcast %row : tile<1x8xi32> -> tile<2x8xi32>
  %c = assume div_by<4, every 4 along 1>, %rows : tile<2x8xi32>
  %d = assume same_elements<[2, 1]>, %rows : tile<2x8xi32>
  %one = constant <i32: 1> : tile<i32>
  %two = constant <i32: 2> : tile<i32>
  %last = constant <i32: 31> : tile<i32>
  %large = constant <i32: 2147483647> : tile<i32>
  %minus = subi %one, %two overflow<no_signed_wrap> : tile<i32>
  %least = addi %large, %one overflow<no_unsigned_wrap> : tile<i32>
  %e = muli %large, %two overflow<no_unsigned_wrap> : tile<i32>
  %f = shli %one, %last overflow<no_unsigned_wrap> : tile<i32>
  %g = negi %large overflow<no_signed_wrap> : tile<i32>
  %h = trunci %minus overflow<no_signed_wrap> : tile<i32> -> tile<i8>
  return
}
