// Producer: Tool "x" 
 1.0\ é
global  @g000 <f32: [1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tile<4xf32> loc(#loc)
global  @g008 alignment = 8 <f32: [1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tile<4xf32> loc(#loc)
global  constant @g010 <f32: [1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tile<4xf32> loc(#loc)
global  constant @g018 alignment = 8 <f32: [1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tile<4xf32> loc(#loc)
global private  @g100 <f32: [1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tile<4xf32> loc(#loc)
global private  @g108 alignment = 8 <f32: [1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tile<4xf32> loc(#loc)
global private  constant @g110 <f32: [1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tile<4xf32> loc(#loc)
global private  constant @g118 alignment = 8 <f32: [1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tile<4xf32> loc(#loc)
global  @"we ird" <f32: 2.000000e+00> : tile<4xf32> loc(#loc)
global  @many <i8: "0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F"> : tile<128xi8> loc(#loc)
entry @k() {
  return loc(#loc)
} loc(#loc)
#loc = loc(unknown)
